package import Chat
package import Wire

/// Calls `Spread` for links, payloads, frames and deadlines.
extension Node {
    /// Changes the mode of this node: `true` where the room is too large for links between all.
    package func setOverlay(_ isOn: Bool) { setMode(isOn ? .overlay : .mesh) }

    func setMode(_ mode: RoomMode) {
        guard spread.setMode(mode, now: scheduler.now, using: &randomness) else { return }
        for link in connections.active { greet(link) }
        setOffers()
        crowdChanged(mode)
    }

    private func setOffers() {
        spread.setOffers(of: &historyExchange)
        arm(.overlay)
    }

    /// Sends a payload that is new here to the room: an own one, or one that came from a neighbour or over a bridge.
    ///
    /// - Parameter link: the neighbour that it came from as a frame; nil for none.
    package func broadcast(_ payload: VerifiedPayload, from link: PeerID? = nil, hops received: UInt8 = 0) {
        withEffects {
            spread.spread(
                payload, from: link, hops: received, me: context.me, connections, now: scheduler.now,
                using: &randomness, &$0)
        }
    }

    /// True for payloads that travel over the trees, because the room is one with trees: public messages and their changes.
    ///
    /// - Parameter isRelayed: it came over a relay, so that it is public in any case.
    func takesTrees(_ payload: VerifiedPayload, isRelayed: Bool) -> Bool {
        spread.isEngaged && payload.type.isHistory && (isRelayed || router.isForEveryone(payload.payload))
    }

    func receivedTree(_ body: Span<UInt8>, on link: LinkInfo) {
        guard let peer = treePeer(on: link) else { return }
        guard let frame = TreeFrame(body) else { return links.tally.unexpectedFrames += 1 }
        if case .hello(let hello) = frame { receivedHello(hello, on: link) }
        if case .busy = frame { receivedBusy(on: link) }
        guard !link.isForgotten else { return }
        let last = spread.neighbours[peer]?.hello
        withEffects {
            spread.receiveTree(frame, from: peer, connections, now: scheduler.now, using: &randomness, &$0)
        }
        guard case .hello(let hello) = frame else { return }
        receivedMode(in: hello, after: last, on: link)
        setOffers()
        if hello.isGuest { guestGreeted(on: link) }
    }

    /// Handles the ids of a `latest` or of `news`.
    func receivedIDs(_ body: Span<UInt8>, areNews: Bool, on link: LinkInfo) {
        guard let peer = treePeer(on: link) else { return }
        var effects = Effects()
        let isTaken =
            areNews
            ? spread.receiveNews(body, from: peer, now: scheduler.now, &effects)
            : spread.receiveLatest(body, from: peer, connections, now: scheduler.now, &effects)
        guard isTaken else { return }
        recordSign(on: link)
        perform(effects)
    }

    /// The neighbour that sent a frame 10 to 12; nil above its rate.
    private func treePeer(on link: LinkInfo) -> PeerID? {
        guard case .running = phase, let peer = link.peer, spread.admitFrame(from: peer, now: scheduler.now)
        else {
            links.tally.unexpectedFrames += 1
            return nil
        }
        return peer
    }

    func tickOverlay() {
        guard case .running = phase else { return }
        withEffects { spread.tick(connections, now: scheduler.now, using: &randomness, &$0) }
    }
}
