import Chat
import Noise
package import Phrases
import Wire

/// Calls `Finder` for discovery and for what may change its choices.
extension Node {
    func discovered(_ event: DiscoveryEvent) { act { finder.discovered(event, $0, &$1) } }

    func makeAnnouncement() -> Announcement { finder.makeAnnouncement(context, port: links.port, now: scheduler.now) }

    /// Takes a step that a part put off.
    func perform(_ step: NodeStep) {
        switch step {
        case .changeMode(let last):
            act {
                crowd.modeChanged(
                    from: last, &mail, &bridgeGate, &conversations.router, connections, spread.neighbours, $0, &$1)
            }
        case .recordPresence(let peer, let isHere):
            apply(conversations.router.recordPresence(of: peer, isHere: isHere, at: moment))
        case .askForRoster(let id): forEach(.link(id)) { link in act { crowd.askForRoster(on: link, $0, &$1) } }
        case .answerRequests(let id): forEach(.link(id)) { answer(on: $0) }
        case .recordDialFailure(let instance):
            act { finder.recordDialFailure(of: instance, now: $0.now, &$1) }
        case .renewBridgedPresence: act { bridgeGate.renew(&crowd, &conversations.router, $0, &$1) }
        case .renewCertificate:
            act { ownSession.renewCertificate(dm: mail.publicKey, &conversations.router, connections, $0, &$1) }
        case .stop: stop()
        case .warnUnanswered: act { finder.warnUnanswered(in: configuration.room, chat.roster, $0, &$1) }
        case .finish(let id, let closing): act { links.finish(id, closing, &$1) }
        case .tellContacts(let id):
            act { finder.tellContacts(on: id, links, among: crowdLinks, spread.neighbours, $0, &$1) }
        case .sendContacts(let id): act { finder.sendFirstContacts(on: id, connections, $0, &$1) }
        }
    }

    /// The count of nodes or the links may have changed: the end of the turn looks, once for all changes.
    func reviewRoom() {
        act { finder.reviewRoom(connections, spread.neighbours, online: chat.roster.online, $0, &$1) }
        if finder.isChoiceChanged { askForTurnEnd() }
    }

    /// The end of a turn in which something has changed, and the time for which the choice has asked.
    func followChoice() {
        guard act({ finder.reviewLinks(spread.neighbours, online: chat.roster.online, $0, &$1) }) else { return }
        act { finder.followChoice($0, connections, &$1) }
    }
}

/// Connects `BridgeGate` with the other parts and the broker (Docs/Bridge.md).
extension Node {
    func startBridge() {
        guard let broker = configuration.bridge?.port else { return }
        let pace = AdmissionRates.published(configuration.messagesPerSecond)
        broker.start(pace: pace, scheduler.receiver { [weak self] event in self?.received(event, from: broker) })
        act { BridgeGate.scheduleRenewal($0, &$1) }
    }

    private func received(_ event: BridgeEvent, from broker: any BridgePort) {
        guard lifecycle.isRunning else { return }
        accept(
            act { bridgeGate.receive(event, ownSession, &intake, &crowd, &conversations.router, connections, $0, &$1) })
        guard case .delivered(let delivery) = event else { return }
        if let tag = delivery.tag { broker.acknowledge(tag) }
        flushFullBatch()
    }

    func perform(_ step: BridgeStep) {
        switch step {
        case .publish(let payload): act { bridgeGate.publish(payload, ownSession, chat, &intake, $0, &$1) }
        case .publishSealed(let body, let peer):
            act { bridgeGate.publish(sealed: body, from: peer, chat.roster, $0, &$1) }
        case .give(let due): configuration.bridge?.port.publish(due.content, tag: due.tag, isHistory: due.isHistory)
        case .receiveHeld(let certificate, let frame):
            let admitted = act {
                bridgeGate.receive(held: frame, certificate, ownSession, &intake, chat.roster, connections, $0, &$1)
            }
            accept(admitted)
        case .receiveSealed(let body, let neighbour):
            let admitted = act {
                intake.receive(
                    sealed: body, from: neighbour, on: nil, &mail, &crowd, &bridgeGate, ownSession, chat.roster,
                    connections, $0, &$1)
            }
            accept(admitted)
        }
    }

    /// Whether the room is carried to other networks: by this node, or by another of its network.
    package var isBridged: Bool { bridgeGate.isBridged(chat.roster) }

    /// The state of this node's bridge; nil if it has none.
    package var bridgeState: Sentence? { bridgeGate.state }
}

/// Calls `HistoryExchange` and `RoomClock`.
extension Node {
    /// Sends some of the payloads that the peer requested; the next ones follow when the outbox has drained.
    func answer(on link: LinkInfo) {
        guard historyExchange.hasAnswers(on: link) else { return }
        while act({ historyExchange.answer(on: link, $0, &conversations.router, &intake, &$1) }) {}
    }

    /// Offers the payloads that were archived since the last call.
    func offerArchived() {
        act { historyExchange.offerArchived(of: &conversations.router, now: $0.now, &$1) }
    }

    func tickHistory() {
        act { historyExchange.tick(connections, archive: conversations.router.publicChat, &spread, $0, &$1) }
    }

    func watchClock() {
        act { clock.watch(connections, &conversations.router, &historyExchange, &spread, $0, &$1) }
    }
}

/// Renews our own certificate and handles other sessions of our identity (Protocol.md sections 1 and 9).
extension Node {
    /// The epoch of our certificate; a re-issue raises it.
    package var epoch: UInt64 { ownSession.certificate.epoch }

    /// Zeroes the secret halves of all keys that outlive a link.
    func forgetKeys() {
        conversations.router.forgetKey()
        ownSession.forgetKey()
        mail.forgetKeys()
    }
}
