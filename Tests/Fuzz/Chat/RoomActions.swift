import Wire

@testable import Chat

/// The user's commands.
extension RoomRun {
    func act(_ choices: inout Choices, _ operation: Int) {
        let peer = author(&choices).id
        switch operation {
        case 11: attempt { run throws(ChatError) in try run.accept(peer) }
        case 12: attempt { run throws(ChatError) in try run.decline(peer) }
        case 13: attempt { run throws(ChatError) in try run.leave(peer) }
        case 14: note(router.open(choices.flag() ? .direct(peer) : .publicRoom))
        case 15, 16: speak(choices.below(3), peer, choices.text())
        case 17: change(&choices)
        case 18: mark(choices.below(6), peer)
        default: rename(choices.text(), isAway: choices.flag())
        }
    }

    private func attempt(_ operation: (RoomRun) throws(ChatError) -> Outcome) {
        do throws(ChatError) {
            let outcome = try operation(self)
            model.noteOurs(outcome.outgoing.map(\.payload.payload))
            note(outcome.events)
            for outgoing in outcome.outgoing {
                let signed = outgoing.payload.signed
                demand(signed.payload.isDirect || signed.isSignatureValid, "what we say to all is not signed")
            }
        } catch {
            demand(!error.message.isEmpty, "an error without words")
        }
    }

    private func accept(_ peer: PeerID) throws(ChatError) -> Outcome {
        try router.accept(peer, at: moment)
    }

    private func decline(_ peer: PeerID) throws(ChatError) -> Outcome { try router.decline(peer) }

    private func leave(_ peer: PeerID) throws(ChatError) -> Outcome {
        try router.leave(peer, at: moment)
    }

    private func speak(_ way: Int, _ peer: PeerID, _ text: String) {
        attempt { run throws(ChatError) in
            switch way {
            case 0: try run.router.send(text, at: run.moment)
            case 1: try run.router.send(text, to: .publicRoom, at: run.moment)
            default: try run.router.send(text, to: .direct(peer), at: run.moment)
            }
        }
    }

    private func change(_ choices: inout Choices) {
        let ours = model.ours
        let named = ours.isEmpty ? "" : choices.pick(ours).hexadecimal
        let reference = choices.below(3) == 0 ? nil : String(named.prefix(choices.below(33)))
        let text = choices.flag() ? choices.text() : nil
        attempt { run throws(ChatError) in
            guard let text else {
                return try run.router.delete(reference, at: run.moment)
            }
            return try run.router.edit(reference, text, at: run.moment)
        }
    }

    private func mark(_ which: Int, _ peer: PeerID) {
        switch which {
        case 0, 1: note(router.setMuted(peer, which == 0))
        case 2, 3: note(router.setBlocked(peer, which == 2))
        default: router.setVerified(peer, which == 4)
        }
    }

    private func rename(_ name: String, isAway: Bool) {
        attempt { run throws(ChatError) in
            try run.router.rename(name, at: run.moment)
        }
        note(router.setAway(isAway, at: moment).events)
    }
}
