import Chat
import Simulator
import Wire

@testable import ChatNode

/// The assertions once a script is done and the room has been quiet for a while.
extension InteractionRoom {
    /// Every promise that was broken in this room.
    ///
    /// - Parameter wasMisdialled: true if nodes of other rooms have called.
    func verdict(wasMisdialled: Bool) -> [String] {
        for witness in allWitnesses {
            witness.compareUnread()
            witness.compareSmallTalk()
        }
        for witness in lives { witness.catchUp() }
        let breaches =
            lives.flatMap(\.breaches) + missing() + invented() + strangers() + unbounded(wasMisdialled)
            + (script.isCalm ? different() : []) + unrepaired()
        return breaches.map { "room \(number): \($0)" }
    }

    /// Peers that a node knows, and that were never in the room.
    private func strangers() -> [String] {
        let members = Set(lives.map(\.peer.key))
        return lives.flatMap { witness in
            let known = witness.peer.with { node in node.peers() }.map(\.who.key)
            let told = witness.events.compactMap { if case .peer(_, let who, _, _, _) = $0 { who.key } else { nil } }
            return Set(known + told).subtracting(members).map {
                "seat \(witness.seat) knows \($0.hexadecimal), which was never there"
            }
        }
    }

    /// A direct message goes again on the next connection, so long as neither life has ended.
    private func isLasting(_ expectation: Expectation) -> Bool {
        present.contains { $0 === expectation.from } && present.contains { $0 === expectation.to }
    }

    private func missing() -> [String] {
        let span = script.longestDelivery
        let unheard = expectations.filter { holds($0) && !$0.to.shown.keys.contains($0.id) }
        let direct = directExpectations.filter { expectation in
            let changes = mindChanges[Pair(expectation.from, expectation.to)] ?? []
            let isUndisturbed = holds(expectation)
            let isSteady = !changes.contains {
                $0 + span >= expectation.at && (!isUndisturbed || $0 <= expectation.at + span)
            }
            let isLost = !expectation.to.shown.keys.contains(expectation.id)
            return isLost && isSteady && (isUndisturbed || isLasting(expectation))
        }
        return (unheard + direct).map { "\"\($0.text)\" of seat \($0.from.seat) was not shown at seat \($0.to.seat)" }
    }

    /// Messages that were shown, and were not said, or not to their witness.
    private func invented() -> [String] {
        var breaches: [String] = []
        for witness in lives {
            let unsaid = witness.publicOrder.filter { !said.keys.contains($0) }
            breaches += unsaid.map { "seat \(witness.seat) was shown \($0.hexadecimal), which no author said" }
            for (texts, isRequest) in [(witness.directTexts, false), (witness.requestTexts, true)] {
                for (author, told) in texts {
                    let sent = saidDirectly[author]?[witness.peer.key] ?? []
                    let wrong = told.filter { !sent.contains($0) }
                    breaches += wrong.map {
                        "seat \(witness.seat) was told \"\($0)\", request: \(isRequest), not meant for it"
                    }
                }
            }
            let refused = lives.filter { declined.contains([witness.number, $0.number]) }.map(\.peer.key)
            for (author, requests) in witness.requestTexts where !refused.contains(author) {
                let twice = Set(requests).intersection(witness.directTexts[author] ?? [])
                breaches += twice.map { "seat \(witness.seat) was told \"\($0)\" as a request and as a message" }
            }
        }
        return breaches
    }

    /// Tables beyond their bounds, links too many, and counters that only an attacker makes grow.
    private func unbounded(_ wasMisdialled: Bool) -> [String] {
        allWitnesses.flatMap { witness in
            let peer = witness.peer
            let counters = peer.with { node in node.statistics() }
            let values = Dictionary(
                counters.map { ($0.metric.name, $0.value) }, uniquingKeysWith: { first, _ in first })
            // A peer is a candidate by the name that it announces, and by one as a contact where the room had gaps.
            let bounds = [
                ("connections", allWitnesses.count - 1), ("half_open_handshakes", 0),
                ("candidates", 2 * (lives.count - 1)),
            ]
            let tooMany = bounds.filter { (values[$0.0] ?? -1) > $0.1 }.map {
                "\($0.0) is \(values[$0.0] ?? -1), with \(connections(of: witness))"
            }
            let allowed = wasMisdialled ? ["link_handshake_failed"] : []
            let hostile = InteractionRoom.hostileCounters.filter { values[$0] != 0 && !allowed.contains($0) }.map {
                "\($0) is not 0"
            }
            let kept = peer.texts().count
            let ring = kept > Limits.messagesPerConversation ? ["\(kept) messages are kept"] : []
            return (tooMany + hostile + ring).map { "seat \(witness.seat): \($0)" }
        }
    }

    /// Each connection of a node with its peer and its state.
    private func connections(of witness: InteractionWitness) -> String {
        witness.peer.with { node in
            node.connections.all.map { connection in
                "\(connection.id.number) at \(connection.endpoint.address) \(connection.role) \(connection.standing), open: \(connection.isOpen), "
                    + "retiring: \(connection.isRetiring), peer retired: \(connection.peerRetired), finishing: \(connection.isFinishing)"
            }.joined(separator: "; ")
        }
    }

    /// No honest node makes them grow, whatever the network does.
    private static let hostileCounters = [
        "bans", "unknown_frames", "link_undecipherable", "link_bad_framing", "link_illegal_length",
        "link_handshake_failed", "dropped_malformed", "dropped_foreign_author", "dropped_too_many_hops",
        "dropped_other_room",
        "dropped_equivocation", "dropped_bad_signature",
    ]

    /// Where nothing came between any nodes, all have kept equal rooms: the messages, in the order of each author.
    private func different() -> [String] {
        allWitnesses.flatMap { witness in
            order.map(\.author).uniqueByNumber.filter { !everMuted.contains([witness.number, $0.number]) }.flatMap {
                author -> [String] in
                let expected = order.filter { $0.author === author }.compactMap { said[$0.id] ?? nil }
                let kept = witness.peer.with { [key = author.peer.key] node in
                    node.chat.messages(in: .publicRoom).filter { $0.from.key == key }.map(\.text)
                }
                return kept == expected
                    ? [] : ["seat \(witness.seat) has of seat \(author.seat): \(kept), not \(expected)"]
            }
        }
    }

    /// Once all have been together again, every node has kept the same messages, and none of a present author is missing.
    private func unrepaired() -> [String] {
        guard everMuted.isEmpty, let first = allWitnesses.first else { return [] }
        let rings = allWitnesses.map { witness in
            Set(
                witness.peer.with { node in node.chat.messages(in: .publicRoom) }.map {
                    "\($0.id.hexadecimal) \($0.text)"
                })
        }
        let smallTalk = allWitnesses.map(\.smallTalk)
        var breaches: [String] = []
        for (witness, ring) in zip(allWitnesses, rings) where ring != rings[0] {
            let difference = ring.symmetricDifference(rings[0]).sorted()
            breaches.append("seats \(first.seat) and \(witness.seat) do not agree on \(difference)")
        }
        for (witness, talk) in zip(allWitnesses, smallTalk) where talk != smallTalk[0] {
            let difference = talk.symmetricDifference(smallTalk[0]).sorted()
            breaches.append("seats \(first.seat) and \(witness.seat) do not agree on \(difference)")
        }
        for (id, author) in order.suffix(Limits.messagesPerConversation) where present[author.seat] === author {
            guard let text = said[id] ?? nil, !rings[0].contains("\(id.hexadecimal) \(text)") else { continue }
            breaches.append("\"\(text)\" of seat \(author.seat) is missing everywhere else")
        }
        return breaches
    }
}

extension [InteractionWitness] {
    /// Each once, in order.
    fileprivate var uniqueByNumber: [InteractionWitness] {
        reduce(into: []) { result, witness in
            if !result.contains(where: { $0 === witness }) { result.append(witness) }
        }
    }
}
