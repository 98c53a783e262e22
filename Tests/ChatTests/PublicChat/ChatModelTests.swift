import Noise
import Testing
import Wire

@testable import Chat

/// The plainest public chat, to compare the real one with.
private struct NaiveChat {
    struct Line: Equatable {
        let id: MessageID
        let author: PeerID
        let sequence: UInt64
        var text: String
        /// The time of its place, and the signed one.
        let time: UInt64
        let signed: UInt64
        let isHistory: Bool
        var edit: UInt64 = 0
        var isUnread: Bool

        static func isLower(_ left: Line, _ right: Line) -> Bool {
            left.time == right.time ? isSignedEarlier(left, right) : left.time < right.time
        }

        static func isSignedEarlier(_ left: Line, _ right: Line) -> Bool {
            (left.signed, left.author, left.sequence) < (right.signed, right.author, right.sequence)
        }
    }

    var deleted: [MessageID] = []
    var lines: [Line] = []
    var forgottenUnread = 0
    var isActive = true

    var unread: Int { forgottenUnread + lines.count(where: \.isUnread) }

    mutating func add(_ payload: P2PPayload, isOwn: Bool, isHistory: Bool, at now: UInt64) {
        guard !lines.contains(where: { $0.id == payload.messageId }), !deleted.contains(payload.messageId)
        else { return }
        let signed = payload.timestamp.milliseconds
        let placed = isHistory ? NaiveChat.placed(signed, askedAt: now) : min(max(signed, now - min(now, 300_000)), now)
        lines.append(
            Line(
                id: payload.messageId, author: payload.author, sequence: payload.sequence, text: payload.content ?? "",
                time: placed, signed: signed, isHistory: isHistory,
                isUnread: !isOwn && !isHistory && !isActive))
        lines = lines.filter(\.isHistory).sorted(by: Line.isSignedEarlier) + lines.filter { !$0.isHistory }
        guard lines.count > 100, let lowest = lines.min(by: Line.isLower) else { return }
        lines.removeAll { $0.id == lowest.id }
        if lowest.isUnread { forgottenUnread += 1 }
    }

    private static func placed(_ signed: UInt64, askedAt now: UInt64) -> UInt64 {
        if signed > now + 60_000 { return min(now, signed - min(signed, 300_000)) }
        return min(signed, now)
    }

    mutating func edit(_ id: MessageID, by author: PeerID, to text: String, sequence: UInt64) {
        for index in lines.indices
        where lines[index].id == id && lines[index].author == author && lines[index].edit < sequence {
            lines[index].text = text
            lines[index].edit = sequence
        }
    }

    mutating func delete(_ id: MessageID, by author: PeerID) {
        guard lines.contains(where: { $0.id == id && $0.author == author }) else { return }
        lines.removeAll { $0.id == id }
        deleted = (deleted + [id]).suffix(100)
    }

    mutating func look(_ isActive: Bool) {
        self.isActive = isActive
        guard isActive else { return }
        forgottenUnread = 0
        for index in lines.indices { lines[index].isUnread = false }
    }
}

struct ChatModelTests {
    private final class Run {
        let people = room("alice", "bob", "carol")
        var model = NaiveChat()
        var randomness: Randomness
        /// The payloads said so far, those that were held back for later too.
        var said: [VerifiedPayload] = []
        var heldBack: [VerifiedPayload] = []

        init(seed: UInt64) { randomness = .seeded(seed) }

        var me: Person { people[0] }

        func step() {
            let author = people[Int.random(in: 0..<3, using: &randomness)]
            author.wallClock = Timestamp(milliseconds: UInt64.random(in: 1_000...900_000, using: &randomness))
            switch Int.random(in: 0..<20, using: &randomness) {
            case 0..<10: say(author)
            case 10: heldBack.append(author.signPublic("past"))
            case 11, 12: recall()
            case 13: if let old = said.randomElement(using: &randomness) { receive(old, isHistory: false) }
            case 14, 15, 16: edit(author)
            case 17, 18: delete(author)
            default: look()
            }
        }

        private func say(_ author: Person) {
            let payload = author.signPublic("line \(said.count)")
            said.append(payload)
            receive(payload, isHistory: false)
        }

        private func recall() {
            guard let old = heldBack.popLast() else { return }
            said.append(old)
            receive(old, isHistory: true)
        }

        /// A message may come again, at any time and over any way.
        private func receive(_ payload: VerifiedPayload, isHistory: Bool) {
            let isOwn = payload.payload.author == me.id
            model.add(payload.payload, isOwn: isOwn, isHistory: isHistory, at: me.wallClock.milliseconds)
            let events = me.receive(payload, via: people[1], isHistory: isHistory)
            for case .message(let message) in events { #expect(message.unread == model.unread) }
        }

        private func edit(_ author: Person) {
            guard let target = model.lines.randomElement(using: &randomness) else { return }
            let payload = author.sign(.edit(target: target.id, text: "edited \(said.count)"))
            model.edit(target.id, by: author.id, to: "edited \(said.count)", sequence: payload.payload.sequence)
            me.receive(payload)
        }

        private func delete(_ author: Person) {
            guard let target = model.lines.randomElement(using: &randomness) else { return }
            model.delete(target.id, by: author.id)
            me.receive(author.sign(.delete(target: target.id)))
        }

        private func look() {
            let isActive = Bool.random(using: &randomness)
            model.look(isActive)
            me.router.open(isActive ? .publicRoom : .direct(people[1].id))
        }
    }

    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func `ring and unread count agree with a naive model after each of 2,500 random operations`(seed: UInt64) {
        let run = Run(seed: seed)
        var highest = 0
        for _ in 0..<2_500 {
            run.step()
            let chat = run.me.router.publicChat
            #expect(chat.unreadCount == run.model.unread)
            #expect(chat.messages.elementsEqual(run.model.lines) { $0.id == $1.id && $0.content == $1.text })
            highest = max(highest, chat.messages.count)
        }
        #expect(highest == 100)
    }
}
