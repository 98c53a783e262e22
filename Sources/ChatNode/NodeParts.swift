import Chat
import Noise
package import Phrases
import Wire

/// Calls `Finder` for discovery and for what may change its choices.
extension Node {
    func discovered(_ event: DiscoveryEvent) { act { $0.finder.discovered(event, $1, &$2) } }

    func makeAnnouncement() -> Announcement {
        parts.finder.makeAnnouncement(context, port: parts.links.port, now: scheduler.now)
    }

    /// Takes a step that a part put off.
    func perform(_ step: NodeStep) {
        switch step {
        case .changeMode(let last):
            act {
                $0.crowd.modeChanged(
                    from: last, &$0.mail, &$0.bridgeGate, &$0.conversations.router, $0.links.connections,
                    $0.spread.neighbours, $1, &$2)
            }
        case .recordPresence(let peer, let isHere):
            apply(parts.conversations.router.recordPresence(of: peer, isHere: isHere, at: moment))
        case .askForRoster(let id): forEach(.link(id)) { link in act { $0.crowd.askForRoster(on: link, $1, &$2) } }
        case .answerRequests(let id): forEach(.link(id)) { answer(on: $0) }
        case .recordDialFailure(let instance):
            act { $0.finder.recordDialFailure(of: instance, now: $1.now, &$2) }
        case .renewBridgedPresence: act { $0.bridgeGate.renew(&$0.crowd, &$0.conversations.router, $1, &$2) }
        case .coverLinks(let size): parts.coverLinks(with: size)
        case .renewCertificate:
            act {
                $0.ownSession.renewCertificate(
                    &$0.mail, &$0.conversations.router, $0.links.connections, $1, &$2)
            }
        case .stop: stop()
        case .enter: enter()
        case .warnUnanswered:
            act { $0.finder.warnUnanswered(in: configuration.room, $0.conversations.router.roster, $1, &$2) }
        case .finish(let id, let closing): act { $0.links.finish(id, closing, &$2) }
        case .tellContacts(let id):
            act { $0.finder.tellContacts(on: id, $0.links, among: $0.crowdLinks, $0.spread.neighbours, $1, &$2) }
        case .sendContacts(let id): act { $0.finder.sendFirstContacts(on: id, $0.links.connections, $1, &$2) }
        }
    }

    /// The count of nodes or the links may have changed: the end of the turn looks, once for all changes.
    func reviewRoom() {
        act {
            $0.finder.reviewRoom(
                $0.links.connections, $0.spread.neighbours, online: $0.conversations.router.roster.online, $1, &$2)
        }
        if parts.finder.isChoiceChanged { askForTurnEnd() }
    }

    /// The end of a turn in which something has changed, and the time for which the choice has asked.
    func followChoice() {
        guard
            act({ $0.finder.reviewLinks($0.spread.neighbours, online: $0.conversations.router.roster.online, $1, &$2) })
        else { return }
        act { $0.finder.followChoice($1, $0.links.connections, &$2) }
    }
}

/// Connects `BridgeGate` with the other parts and the broker (Docs/Bridge.md).
extension Node {
    func startBridge() {
        guard let broker = configuration.bridge?.port else { return }
        let pace = AdmissionRates.published(configuration.messagesPerSecond)
        broker.start(pace: pace, scheduler.receiver { [weak self] event in self?.received(event, from: broker) })
        act { $0.bridgeGate.scheduleRenewal($1, &$2) }
    }

    private func received(_ event: BridgeEvent, from broker: any BridgePort) {
        guard parts.lifecycle.isRunning else { return }
        accept(
            act {
                $0.bridgeGate.receive(
                    event, $0.ownSession, &$0.intake, &$0.crowd, &$0.conversations.router, $0.links.connections, $1, &$2
                )
            })
        guard case .delivered(let delivery) = event else { return }
        if let tag = delivery.tag { broker.acknowledge(tag) }
        flushFullBatch()
    }

    func perform(_ step: BridgeStep) {
        switch step {
        case .publish(let payload):
            act { $0.bridgeGate.publish(payload, $0.ownSession, $0.conversations.router, &$0.intake, $1, &$2) }
        case .publishSealed(let body, let peer):
            act { $0.bridgeGate.publish(sealed: body, from: peer, $0.conversations.router.roster, $1, &$2) }
        case .give(let due): configuration.bridge?.port.publish(due.content, tag: due.tag, isHistory: due.isHistory)
        case .receiveHeld(let certificate, let frame):
            let admitted = act {
                $0.bridgeGate.receive(
                    held: frame, certificate, $0.ownSession, &$0.intake, $0.conversations.router.roster,
                    $0.links.connections, $1, &$2)
            }
            accept(admitted)
        case .receiveSealed(let body, let neighbour):
            let admitted = act {
                $0.intake.receive(
                    sealed: body, from: neighbour, on: nil, &$0.mail, &$0.crowd, &$0.bridgeGate, $0.ownSession,
                    $0.conversations.router.roster, $0.links.connections, $1, &$2)
            }
            accept(admitted)
        }
    }

    /// Whether the room is carried to other networks: by this node, or by another of its network.
    package var isBridged: Bool { parts.bridgeGate.isBridged(chat.roster) }

    /// Whether the node has announced itself and looks for peers: a further room of the command line does after a while.
    package var hasEntered: Bool { parts.lifecycle.hasEntered }

    /// The state of this node's bridge; nil if it has none.
    package var bridgeState: Sentence? { parts.bridgeGate.state }
}

/// Calls `HistoryExchange` and `RoomClock`.
extension Node {
    /// Sends some of the payloads that the peer requested; the next ones follow when the outbox has drained.
    func answer(on link: LinkInfo) {
        guard parts.historyExchange.hasAnswers(on: link) else { return }
        while act({ $0.historyExchange.answer(on: link, $1, &$0.conversations.router, &$0.intake, &$2) }) {}
    }

    /// Offers the payloads that were archived since the last call.
    func offerArchived() { act { $0.historyExchange.offerArchived(of: &$0.conversations.router, now: $1.now, &$2) } }

    func tickHistory() {
        act {
            $0.historyExchange.tick(
                $0.links.connections, archive: $0.conversations.router.publicChat, &$0.spread, $1, &$2)
        }
    }

    func watchClock() {
        act { $0.clock.watch($0.links.connections, &$0.conversations.router, &$0.historyExchange, &$0.spread, $1, &$2) }
    }
}

/// Renews our own certificate and handles other sessions of our identity (Protocol.md sections 1 and 9).
extension Node {
    /// The epoch of our certificate; a re-issue raises it.
    package var epoch: UInt64 { parts.ownSession.certificate.epoch }
}
