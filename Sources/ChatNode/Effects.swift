import Chat
import Noise
import Phrases
import Wire

/// Which connections an effect is about.
enum LinkSelector {
    case link(ConnectionID)
    case links([ConnectionID])
    /// The link that frames for a peer are sent on.
    case peer(PeerID)
    /// The link of each of the peers that frames are sent on.
    case peers([PeerID])
    /// All links of a peer, those that are retiring too.
    case all(of: PeerID)
    /// The sending link of each peer.
    case everyone
    /// The sending link of each peer, without one link and one peer.
    case others(than: ConnectionID?, notTo: PeerID?)
}

/// A frame that carries a payload, for one link or several.
struct PayloadDelivery {
    /// Where the certificate of an author goes on a link that has not had it.
    enum CertificatePlace {
        case before(PeerID)
        case behind(PeerID)
    }

    /// Type byte first.
    var frame: [UInt8]
    /// The kind under which it is counted, once for each link; nil for a sealed message of another sender.
    var type: PayloadType?
    var certificate: CertificatePlace?
    /// Left out on a link whose queue is half full.
    var isOptional = false
}

/// An action that a part asks for, outside its own state. `Node.perform` is the only place that carries actions out.
enum Effect {
    /// Queues a control frame, type byte first.
    case send([UInt8], to: LinkSelector)
    /// Queues a payload, counts it, and writes at once where much waits.
    case deliver(PayloadDelivery, to: LinkSelector)
    /// Sends an author's certificate on links that have not had it, in front of or behind the author's payload.
    case sendCertificate(of: PeerID, to: LinkSelector)
    /// A certificate was renewed: links that have had the previous one need this one.
    case resend(Certificate)
    /// Handles the certificate of another session of our identity.
    case receiveOwn(Certificate)
    /// A neighbour, or what stands for this node's bridge, leads to a peer.
    case recordPath(to: PeerID, via: PeerID)
    case close(LinkSelector, Closing)
    /// A step in the life of a link, which `Links` leaves to the other parts or puts behind them.
    case link(LinkStep)
    /// Refuses a key without a link for ten minutes.
    case ban(PeerID)
    /// Ends the link of a neighbour that broke its promises, and stops dialling its source for a while.
    case strikeOut(PeerID)
    /// The link with a neighbour ends soon, or stays after all: the trees follow.
    case setLeaving(PeerID, Bool)
    /// Ends a link unless a sign of life comes in time.
    case probe(LinkSelector, within: Duration)
    /// The user blocks a peer: it is no longer dialled.
    case shutOut(PeerID)
    /// The user blocks a peer no longer.
    case admit(PeerID)
    /// Reports what the router returned and sends its payloads.
    case apply(Outcome)
    /// A payload was routed: the end of the turn sends replies and sets the router's timer.
    case routed
    /// Sends a payload of our own, which is signed.
    case sendSigned(VerifiedPayload, to: Outgoing.Destination)
    /// Writes a payload for one receiver to links, so that an observer does not learn the receiver.
    case sendPrivate(VerifiedPayload, to: PeerID, CoverTraffic.Hiding)
    case bridge(BridgeStep)
    /// Reports an event to the program.
    case report(NodeEvent)
    /// Reports a warning; before the node is ready, behind `.ready`.
    case warn(NoticeCode, Sentence)
    case discovery(DiscoveryOrder)
    /// The way in which peers are found is known for the first time.
    case becomeReady(DiscoveryMode)
    /// Announces this node under new names.
    case renewAnnouncement
    /// The own network has changed: each connection needs a sign of life.
    case probeAll
    case leave(StopReason)
    /// Leaves at once, because a later session of our identity continues, by its certificate.
    case signOut(because: Certificate)
    /// Our identity goes on under this epoch, also in later runs.
    case keepEpoch(UInt64)
    /// The count of nodes or the links may have changed.
    case reviewRoom
    case setMode(RoomMode)
    /// Counts a frame that is malformed, out of place or above its rate.
    case countUnexpectedFrame
    /// Takes a step that depends on what the effects before it changed.
    case then(NodeStep)
    case schedule(NodeStep, at: Instant)
    /// The deadline of a part may be an earlier one.
    case arm(NodeTimer)
    /// As `arm`, with the deadline of the moment at which the part asks.
    case wake(NodeTimer, at: Instant)
}

/// A step in the life of a link. Each is performed when those before it are.
enum LinkStep {
    /// The parts hear of a new link.
    case up(LinkUp)
    /// A handshake reached another session of our own identity.
    case metOurselves(Certificate, LinkInfo)
    /// Looks at the deadlines of a connection.
    case wake(ConnectionID, at: Instant)
    /// Sends receipts and automatic answers, and writes the frames that wait on a link.
    case flush(LinkInfo)
    /// The frames that waited were given to the network, as far as it takes them.
    case flushed(LinkInfo)
    /// Ends a link, unless it has ended.
    case end(LinkInfo, Closing)
    /// The parts hear of the end of a link.
    case down(LinkDown)
    /// A run of a peer has said that it leaves.
    case departed(PeerID, PublicKey)
}

/// A step of a part that other effects or some time come before.
enum NodeStep {
    /// The mode of the room is another.
    case changeMode(from: RoomMode)
    /// A peer is here or away by its newest presence.
    case recordPresence(of: PeerID, isHere: Bool)
    /// Tells the peer of a link of nodes that it may dial.
    case tellContacts(to: ConnectionID)
    /// Asks the peer of a link for its roster.
    case askForRoster(on: ConnectionID)
    /// Sends history that the peer of a link requested, as far as there is room.
    case answerRequests(on: ConnectionID)
    case recordDialFailure(of: String)
    case renewBridgedPresence
    /// Ends a slot of `--cover`: each link gets one record with a plaintext of so many bytes.
    case coverLinks(with: Int)
    /// Issues our certificate again, for another dm key.
    case renewCertificate
    /// The last link has closed after the node began to leave.
    case stop
    /// The pause between the start and the first announcement is over.
    case enter
    /// Warns the user of a room with a key where no other node of it has answered.
    case warnUnanswered
    /// Ends a link, for a reason whose manner is to linger.
    case finish(ConnectionID, Closing)
    /// Unless contacts were sent on the connection before.
    case sendContacts(to: ConnectionID)
}

/// A step of this node's bridge; without one nothing happens.
enum BridgeStep {
    /// Publishes a payload of this network, if its author consents.
    case publish(VerifiedPayload)
    /// Publishes the body of a sealed message of a peer, or of our own, for a target in another network.
    case publishSealed([UInt8], from: PeerID)
    /// Gives the broker a publication.
    case give(BridgeOutbox.Due)
    /// Takes a presence from the broker that was held.
    case receiveHeld(certificate: [UInt8], frame: [UInt8])
    /// Takes the body of a sealed message from the broker; the peer stands for the bridge.
    case receiveSealed([UInt8], from: PeerID)
}

/// An order to all discoveries of the node.
enum DiscoveryOrder {
    case announce(Announcement)
    case linkOpened(LinkedRun)
    case linkClosed(LinkedRun)
    case dialFailed(instance: String)
    case peersMissed(Bool)
    case crowdChanged(Crowd)
}

/// Effects in the order in which they are performed.
struct Effects {
    private(set) var list: [Effect] = []

    var isEmpty: Bool { list.isEmpty }

    mutating func append(_ effect: consuming Effect) { list.append(effect) }

    mutating func clear() { list.removeAll(keepingCapacity: true) }
}
