import Chat
import Wire

/// Calls `HistoryExchange` for links, payloads and deadlines.
extension Node {
    func receivedHave(_ body: Span<UInt8>, on link: LinkInfo) {
        guard let peer = link.peer else { return }
        historyExchange.receiveHave(body, from: peer, environment, archive: router.publicChat)
        tickHistory()
    }

    func receivedWant(_ body: Span<UInt8>, on link: LinkInfo) {
        guard let peer = link.peer,
            historyExchange.receiveWant(body, from: peer, environment, archive: router.publicChat)
        else { return }
        arm(.history)
        answer(on: connections.sendingLink(of: peer) ?? link)
    }

    /// Sends some of the payloads that the peer requested; the next ones follow when the outbox has drained.
    func answer(on link: LinkInfo) {
        guard let peer = link.peer, historyExchange.hasAnswers(for: peer) else { return }
        let environment = environment
        while withEffects({ historyExchange.answer(on: link, environment, &router, &intake, &$0) }) {}
    }

    /// Asks again for what was refused for its time: all of it once the clock has moved, else what may be valid by now.
    func reopenRefused(isAll: Bool) {
        withEffects { historyExchange.reopenRefused(isAll: isAll, environment, &spread, &$0) }
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
