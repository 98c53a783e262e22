import Chat
import Wire

/// Calls `HistoryExchange` for links, payloads and deadlines.
extension Node {
    func receivedHave(_ body: Span<UInt8>, on connection: Connection) {
        guard let peer = connection.peer else { return }
        historyExchange.receiveHave(body, from: peer, environment, archive: router.publicChat)
        tickHistory()
    }

    func receivedWant(_ body: Span<UInt8>, on connection: Connection) {
        guard let peer = connection.peer,
            historyExchange.receiveWant(body, from: peer, environment, archive: router.publicChat)
        else { return }
        arm(.history)
        answer(on: connections.sendingLink(of: peer) ?? connection)
    }

    /// Sends some of the payloads that the peer requested; the next ones follow when the outbox has drained.
    func answer(on connection: Connection) {
        guard let peer = connection.peer, historyExchange.hasAnswers(for: peer) else { return }
        let (link, environment) = (LinkInfo(connection), environment)
        while withEffects({ historyExchange.answer(on: link, environment, &router, &admission, &$0) }) {}
    }

    /// Handles a payload that was requested from this link's peer.
    func receivedHistory(_ id: UInt64, _ body: Span<UInt8>, from peer: PeerID, on connection: Connection) {
        let environment = environment
        let askedAt = historyExchange.recordArrival(of: id, from: peer, environment)
        switch admission.admitHistory(frame: body, from: peer, wallClock: environment.roomClock) {
        case .admitted(let payload):
            apply(router.route(payload, at: environment.moment, askedAt: askedAt))
            arm(.router)
            recordGap(payload, isHistory: true)
            if overlay.isEngaged { spreadFromHistory(payload, body, from: peer) }
            publishOverBridge(history: payload)
        case .dropped(.stale), .dropped(.fromTheFuture):
            guard let time = SignedPayload.time(inFrame: body) else { return }
            historyExchange.refuseForTime(id, signedAt: time, from: peer, environment)
            arm(.history)
        case .repeated, .dropped: router.noteFinal(id)
        case .closeLink: drop(connection)
        case .ban: ban(connection)
        }
    }

    /// Asks again for what was refused for its time: all of it once the clock has moved, else what may be valid by now.
    func reopenRefused(isAll: Bool) {
        withEffects { historyExchange.reopenRefused(isAll: isAll, environment, &overlay, &$0) }
    }

    /// Offers the payloads that were archived since the last call.
    func offerArchived() {
        router.drainArchived { items in
            historyExchange.recordArchived(items, now: scheduler.now)
            arm(.history)
        }
    }

    func tickHistory() {
        reopenRefused(isAll: false)
        withEffects { historyExchange.tick(environment, connections, archive: router.publicChat, &$0) }
    }
}
