import Chat
import Noise
import Phrases
import Wire

/// The part of the presence about bridges.
extension Node {
    package var consentsToBridges: Bool { router.session.bridging.consents }

    /// Lets bridges publish what this node says to the room from now on, or not.
    package func setConsent(_ consents: Bool) {
        apply(router.setConsent(consents, at: moment))
        if let first = bridgesHere.first { noteBridges(of: first) }
    }

    /// The peer of a link says in its presence that it is a bridge.
    func isBridge(_ connection: Connection) -> Bool {
        connection.peer.map { router.roster.bridging(of: $0).isBridge } ?? false
    }

    /// Whether a payload may come over a bridge: in a crowd over that of any node, else over the neighbour's own. The user was
    /// informed of a bridge when its presence came.
    func bridgeStanding(of body: Span<UInt8>, on connection: Connection) -> BridgeStanding {
        guard SignedPayload.isBridged(inFrame: body), isCrowd ? isBridged : isBridge(connection) else {
            return .unknown
        }
        return consentsToBridges ? .trusted : .known
    }

    /// Tells the user when the first bridge of the room comes, and begins to renew the presence.
    ///
    /// - Parameter author: of a presence that was routed.
    func noteBridges(of author: PeerID) {
        guard !isBridgeTold, router.roster.bridging(of: author).isBridge, let first = bridgesHere.first else { return }
        isBridgeTold = true
        emit(
            .notice(
                .roomBridged,
                Sentence(
                    router.session.bridging.consents ? .roomBridgedOn : .roomBridgedOff, who(first).displayName)))
        if bridge == nil { scheduleRenewal() }
    }

    /// Sends the presence to the bridges every minute, as long as there are any: other networks forget it after three. In a crowd
    /// bridges get those that go through the room every ten minutes.
    func scheduleRenewal() {
        scheduler.schedule(at: scheduler.now + Limits.bridgedPresenceRenewal) { [weak self] in
            self?.assumeIsolated { node in
                guard case .running = node.phase else { return }
                guard node.isBridged else {
                    node.isBridgeTold = false
                    return node.emit(.notice(.roomUnbridged, Sentence(.roomUnbridged)))
                }
                if !node.isCrowd { node.renewPresence() }
                node.scheduleRenewal()
            }
        }
    }

    func renewPresence() {
        guard router.session.bridging.consents else { return }
        if isCrowd { return publishOverBridge(presenceForLink()) }
        let presence = router.signPresence(at: moment)
        for peer in bridgesHere { send(presence, to: .peer(peer)) }
        publishOverBridge(presence)
    }
}
