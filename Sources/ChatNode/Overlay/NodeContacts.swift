import Chat
import Noise
import Wire

/// Contacts: nodes that others may dial, where discovery or the network shows a node less of the room than there is (Protocol.md
/// section 13).
extension Node {
    /// True where this node tells neighbours of a small room of each other: discovery may show less than there is.
    private var tellsOfLinks: Bool {
        hasNamedPeers || contacts.hasTellers || gaps.isRelaying || overlay.neighbours.hasLacking
    }

    /// Tells a peer of nodes that it may dial.
    func tellContacts(on connection: Connection) {
        guard let peer = connection.peer, choice.isOverlay || tellsOfLinks else { return }
        let frame = choice.isOverlay ? contactsOfCrowd(for: peer, on: connection) : links(for: peer, on: connection)
        guard !frame.contacts.isEmpty || !frame.named.isEmpty else { return }
        connection.link.enqueue(frame.bytes)
        markDirty(connection)
    }

    /// The rule for endpoints that are sent to the peer of a link.
    private func tellable(on connection: Connection) -> ToldEndpointFilter {
        ToldEndpointFilter(
            network: transport.network(of: connection.id), isWithinMachine: connection.endpoint.isLoopback,
            allowsLoopback: true)
    }

    /// Nodes that this one has dialled, at random: none that the peer may not dial, as one on another network.
    private func contactsOfCrowd(for peer: PeerID, on connection: Connection) -> ContactsFrame {
        var contacts: [ContactsFrame.Contact] = []
        let filter = tellable(on: connection)
        for other in connections.activeLinks.shuffled(using: &randomness) where contacts.count < Limits.contactsTold {
            guard case .link(.initiator) = other.standing, let known = other.peer, known != peer,
                filter.allows(other.endpoint)
            else { continue }
            contacts.append(ContactsFrame.Contact(peer: known, endpoint: other.endpoint))
        }
        return ContactsFrame(contacts: contacts)
    }

    /// This node itself, and the peers of its links, each with an endpoint that the receiver may dial, if there is one.
    private func links(for peer: PeerID, on connection: Connection) -> ContactsFrame {
        var contacts = ownContact(on: connection).map { [$0] } ?? []
        var named: [PeerID] = []
        let filter = tellable(on: connection)
        for other in crowdLinks.shuffled(using: &randomness) {
            guard let known = other.peer, known != peer, contacts.count + named.count < Limits.contactsTold else {
                continue
            }
            if let endpoint = other.reachedAt, filter.allows(endpoint) {
                contacts.append(ContactsFrame.Contact(peer: known, endpoint: endpoint))
            } else {
                named.append(known)
            }
        }
        return ContactsFrame(contacts: contacts, named: named)
    }

    private func ownContact(on connection: Connection) -> ContactsFrame.Contact? {
        guard port > 0, let local = transport.localEndpoint(of: connection.id) else { return nil }
        let listening = Endpoint(address: local.address, port: port, scope: local.scope)
        return ContactsFrame.Contact(
            peer: context.me, endpoint: connection.endpoint.isLoopback ? listening.onThisMachine : listening)
    }

    /// Tells the peer of a new link once the other dials of a start are over.
    func tellContactsSoon(on connection: Connection) {
        guard hasNamedPeers || (tellsOfLinks && !choice.isOverlay) else { return }
        scheduler.schedule(at: scheduler.now + Limits.contactDelay) { [weak self, id = connection.id] in
            self?.assumeIsolated { node in
                guard case .running = node.phase, let connection = node.connections[id], !connection.hasToldContacts
                else { return }
                connection.hasToldContacts = true
                node.tellContacts(on: connection)
            }
        }
    }

    /// Tells one of the neighbours of a crowd, again and again.
    func tellContacts() {
        guard choice.isOverlay, contacts.takeTurn(now: scheduler.now),
            let connection = connections.activeLinks.randomElement(using: &randomness)
        else { return }
        tellContacts(on: connection)
    }

    /// The links of this node changed: in a small room it tells all neighbours soon.
    func linksChanged() {
        guard tellsOfLinks, !choice.isOverlay else { return }
        contacts.changed(now: scheduler.now)
        arm(.choice)
    }

    /// Tells all neighbours of a small room if that is due.
    func tellAllContacts() {
        guard case .running = phase, contacts.takeRound(now: scheduler.now), !choice.isOverlay else { return }
        for connection in crowdLinks {
            connection.hasToldContacts = true
            tellContacts(on: connection)
        }
    }

    func receivedContacts(_ body: Span<UInt8>, on connection: Connection) {
        let wasTelling = tellsOfLinks
        guard let teller = connection.peer, contacts.takes(from: teller, now: scheduler.now) else {
            counts.unexpectedFrames += 1
            return
        }
        // Not before the rate: the kernel is asked for it.
        let network = transport.network(of: connection.id)
        guard let frame = ContactsFrame(body, scope: network?.scope ?? connection.endpoint.scope) else {
            counts.unexpectedFrames += 1
            return
        }
        let filter = ToldEndpointFilter(
            network: network, isWithinMachine: connection.endpoint.isLoopback, allowsLoopback: hasNamedLoopback)
        noteOwnContact(of: teller, in: frame, on: connection)
        let told = frame.contacts.filter { contact in
            isUnlinked(contact.peer) && contact.peer != teller && filter.allows(contact.endpoint)
        }.suffix(Limits.contactsPerTeller)
        // In a small room a list with room for more has all of its sender's links.
        let isComplete = !choice.isOverlay && frame.contacts.count + frame.named.count < Limits.contactsTold
        forgetContacts(contacts.note(Array(told), of: teller, isComplete: isComplete))
        offer(told)
        if !choice.isOverlay {
            for peer in frame.contacts.map(\.peer) + frame.named where peer != teller { noteGap(peer) }
            if !wasTelling { linksChanged() }
        }
        noteCrowd()
    }

    /// A peer says where it can be dialled itself: it is believed for the address of its own end of the link.
    private func noteOwnContact(of teller: PeerID, in frame: ContactsFrame, on connection: Connection) {
        guard let own = frame.contacts.first(where: { $0.peer == teller })?.endpoint,
            own.address == connection.endpoint.address, connection.toldEndpoint != own
        else { return }
        connection.toldEndpoint = own
        linksChanged()
    }

    private func isUnlinked(_ peer: PeerID) -> Bool { peer != context.me && connections.links(of: peer).isEmpty }

    /// Contacts are candidates: in a crowd for the choice of links, in a small room each of them, after a random pause.
    func offer(_ told: some Sequence<ContactsFrame.Contact>) {
        for contact in told where connections.links(of: contact.peer).isEmpty {
            let instance = ContactBook.instance(at: contact.endpoint)
            if choice.isOverlay {
                dialler.found(instance, at: contact.endpoint, now: scheduler.now, using: &randomness)
                choice.found(instance, at: contact.endpoint, .told, now: scheduler.now)
            } else {
                let pause = Duration.random(in: .zero...Limits.contactDialWait, using: &randomness)
                dialler.found(instance, at: contact.endpoint, now: scheduler.now + pause, using: &randomness)
            }
        }
        arm(.dialler)
    }

    /// The peers that neighbours told of lately and that there is no link with.
    var strangers: Int {
        contacts.countStrangers(
            at: scheduler.now, isStranger: { connections.links(of: $0).isEmpty }, witness: { witness(of: $0) })
    }

    /// Contacts that no peer tells of any more are not dialled; links that there are stay.
    func forgetContacts(_ instances: [String]) {
        for instance in instances {
            dialler.lost(instance, now: scheduler.now)
            choice.lost(instance)
        }
    }
}

extension Connection {
    /// Where its peer can be dialled; nil if this is not known.
    fileprivate var reachedAt: Endpoint? {
        if case .link(.initiator) = standing { return endpoint }
        return toldEndpoint
    }
}
