import Chat
import Simulator
import Wire

@testable import ChatNode

/// Performs what is said and decided in one room. A refusal by a node is no fault: nothing is expected of it.
extension InteractionRoom {
    func take(_ step: Interaction) {
        switch step {
        case .say(let seat): say(seat)
        case .direct(let seat, let to): direct(seat, to)
        case .accept(let seat, let of): accept(seat, of)
        case .decline(let seat, let of):
            decide(seat, of) { one, other in try? one.decline(other) }
            if let one = present[seat], let other = present[of] { declined.insert([one.number, other.number]) }
        case .leaveDirect(let seat, let with): decide(seat, with) { one, other in try? one.leaveDirect(other) }
        case .edit(let seat, let back): change(seat, back, to: nextText("edit"))
        case .delete(let seat, let back): change(seat, back, to: nil)
        case .reply(let seat, let back): reply(seat, back)
        case .react(let seat, let back, let emoji, let isOn): react(seat, back, InteractionRoom.emojis[emoji], isOn)
        case .card(let seat):
            let title = nextText("card")
            present[seat]?.peer.with { node in try? node.perform(.post(title: title, text: "a text", .teal)) }
        case .removeCard(let seat): present[seat]?.peer.with { node in try? node.perform(.removeCard(nil)) }
        case .open(let seat, let with):
            if let other = present[with] { present[seat]?.open(.direct(other.peer.key)) }
        case .openPublic(let seat): present[seat]?.open(.publicRoom)
        case .mute(let seat, let of): mute(seat, of, true)
        case .unmute(let seat, let of): mute(seat, of, false)
        case .rename(let seat):
            let name = nextText("name")
            present[seat]?.peer.with { node in try? node.perform(.rename(name)) }
        case .away(let seat, let isAway): present[seat]?.peer.with { node in node.change(.away(isAway)) }
        case .pass, .partition, .heal, .breakConnections, .stopReading, .readAgain, .kill, .leave, .start, .join, .part,
            .misdial:
            break
        }
    }

    private func say(_ seat: Int) {
        guard let author = present[seat] else { return }
        let text = nextText("said")
        let active = author.active
        if case .direct(let key) = active {
            if let other = allWitnesses.first(where: { $0.peer.key == key }) {
                direct(author, other, text) { () throws(ChatError) in try author.peer.say(text) }
            }
            return
        }
        guard let id = author.sending({ () throws(ChatError) in try author.peer.say(text) }) else { return }
        said[id] = text
        order.append((id, author))
        expect(id, text, from: author)
    }

    static let emojis = ["👍", "❤️", "😂", "🎉"]

    /// One of the public messages that a seat has, counted from the last.
    private func target(_ witness: InteractionWitness, _ back: Int) -> MessageID? {
        witness.peer.with { node in node.chat.messages(in: .publicRoom) }.dropLast(back).last?.id
    }

    private func reply(_ seat: Int, _ back: Int) {
        guard let author = present[seat], let target = target(author, back) else { return }
        let text = nextText("reply")
        let sent = author.sending { () throws(ChatError) in
            try author.peer.with { node throws(ChatError) in
                try node.perform(.send(text, to: .publicRoom, replyTo: target.hexadecimal))
            }
        }
        guard let id = sent else { return }
        said[id] = text
        order.append((id, author))
        expect(id, text, from: author)
    }

    private func react(_ seat: Int, _ back: Int, _ emoji: String, _ isOn: Bool) {
        guard let author = present[seat], let target = target(author, back) else { return }
        author.peer.with { node in
            try? node.perform(.react(target.hexadecimal, of: .publicRoom, isOn ? .set(emoji) : .unset(emoji)))
        }
    }

    private func direct(_ seat: Int, _ to: Int) {
        guard let author = present[seat], let other = present[to] else { return }
        let text = nextText("direct")
        direct(author, other, text) { () throws(ChatError) in try author.peer.say(text, to: other.peer) }
    }

    private func direct(
        _ author: InteractionWitness, _ other: InteractionWitness, _ text: String, _ send: () throws(ChatError) -> Void
    ) {
        let wereFriends = author.isFriend(of: other) && other.isFriend(of: author)
        guard let id = author.sending(send) else { return }
        saidDirectly[author.peer.key, default: [:]][other.peer.key, default: []].insert(text)
        directTargets[id] = other.peer.key
        guard wereFriends else { return changeMind(author, other) }
        guard areTogether(author, other) else { return }
        directExpectations.append(Expectation(id: id, text: text, from: author, to: other, at: simulation.now))
    }

    /// Accepts the request of that one, or whichever is open.
    private func accept(_ seat: Int, _ of: Int) {
        let asking = present[seat]?.peer.with { node in node.requests().map(\.who.key) } ?? []
        let others = present.indices.filter { other in present[other].map { asking.contains($0.peer.key) } ?? false }
        decide(seat, others.contains(of) ? of : others.first ?? of) { one, other in try? one.accept(other) }
    }

    private func decide(_ seat: Int, _ of: Int, _ decision: (SimulatedPeer, SimulatedPeer) -> Void?) {
        guard let one = present[seat], let other = present[of] else { return }
        _ = decision(one.peer, other.peer)
        changeMind(one, other)
    }

    private func change(_ seat: Int, _ back: Int, to text: String?) {
        guard let author = present[seat], back < author.own.count else { return }
        let id = author.own[author.own.count - 1 - back]
        let isDone = author.peer.with { node in
            if let text {
                (try? node.perform(.edit(id.hexadecimal, text))) != nil
            } else {
                (try? node.perform(.delete(id.hexadecimal))) != nil
            }
        }
        guard isDone else { return }
        if said.keys.contains(id) { said[id] = .some(text) }
        if text == nil { directExpectations.removeAll { $0.id == id } }
        if let target = directTargets[id], let text {
            saidDirectly[author.peer.key, default: [:]][target, default: []].insert(text)
        }
    }

    private func mute(_ seat: Int, _ of: Int, _ isMuted: Bool) {
        guard let one = present[seat], let other = present[of] else { return }
        one.peer.with { [key = other.peer.key] node in node.change(.muted(key, isMuted)) }
        if isMuted { everMuted.insert([one.number, other.number]) }
        if isMuted { muted.insert([one.number, other.number]) } else { muted.remove([one.number, other.number]) }
        disturb(one, other)
        changeMind(one, other)
    }
}

extension SimulatedPeer {
    fileprivate func leaveDirect(_ other: SimulatedPeer) throws(ChatError) {
        try with { node throws(ChatError) in try node.perform(.leave(other.key)) }
    }
}

extension InteractionWitness {
    /// Whether this one's node holds the direct conversation with another to be accepted.
    func isFriend(of other: InteractionWitness) -> Bool {
        let key = other.peer.key
        return peer.with { node in node.chat.directChats[key]?.state == .accepted }
    }

    func hasLink(to other: InteractionWitness) -> Bool {
        peer.with { [key = other.peer.key] node in node.chat.roster.isOnline(key) }
    }

    /// Does what says something; the id of what was said, or nil where it was refused.
    func sending(_ send: () throws(ChatError) -> Void) -> MessageID? {
        catchUp()
        let count = own.count
        do throws(ChatError) { try send() } catch { return nil }
        catchUp()
        return own.count == count + 1 ? own.last : nil
    }
}
