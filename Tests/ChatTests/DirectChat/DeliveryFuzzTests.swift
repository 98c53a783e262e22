import Noise
import Testing
import Wire

@testable import Chat

/// One of two users whose link comes and goes, with admission before the router as in a node.
private final class Correspondent {
    private let seed: UInt64
    private(set) var person: Person
    private(set) var admission: Admission
    private var pace: TokenBucket
    /// Frames under way to this user.
    var inbox: [[UInt8]] = []
    /// The delivery state of each message in a naive model.
    var states: [MessageID: DeliveryState] = [:]
    /// How often each message of the other was shown, in this run and in all runs.
    var shown: [MessageID: Int] = [:]
    var everShown: Set<MessageID> = []
    var takenBack: Set<MessageID> = []

    init(seed: UInt64) {
        self.seed = seed
        person = Person("p\(seed)", seed: seed, sendsReadReceipts: true)
        admission = Admission(room: Person.room, me: person.id)
        pace = TokenBucket(Rate(perSecond: Limits.sendPerSecond, burst: Limits.sendBurst), now: person.now)
    }

    /// Starts the same identity anew, without any memory.
    func restart() {
        let old = person
        person = Person("p\(seed)", seed: seed, epoch: old.session.epoch + 1, sendsReadReceipts: true)
        person.now = old.now
        person.wallClock = old.wallClock
        admission = Admission(room: Person.room, me: person.id)
        pace = TokenBucket(Rate(perSecond: Limits.sendPerSecond, burst: Limits.sendBurst), now: person.now)
        (states, shown, takenBack) = ([:], [:], [])
    }

    func link(to other: Correspondent) {
        let (peer, epoch) = (other.person.id, other.person.session.epoch)
        _ = admission.learn(epoch: epoch, of: peer, via: nil, now: person.now)
        note(person.link(to: other.person), with: peer)
    }

    func maySpeak() -> Bool { pace.takeTokens(now: person.now) }

    func note(_ events: [NodeEvent], with other: PeerID) {
        for event in events {
            switch event {
            case .message(let message) where message.conversation != .publicRoom: note(message)
            case .delivered(_, let ids): for id in ids { step(id, .delivered) }
            case .read(_, let ids): for id in ids { step(id, .read) }
            case .failed(_, let messages): for message in messages { step(message.id, .failed) }
            default: break
            }
        }
        // An open request is listed, also where it is not reported.
        if let request = person.router.directChats[other]?.request { everShown.insert(request.id) }
    }

    private func note(_ message: MessageView) {
        if message.isFromCurrentUser {
            states[message.id] = .sending
        } else {
            shown[message.id, default: 0] += 1
            everShown.insert(message.id)
        }
    }

    private func step(_ id: MessageID, _ next: DeliveryState) {
        #expect(!takenBack.contains(id), "nothing is told of what was taken back")
        #expect(states[id]?.canBecome(next) == true)
        states[id] = next
    }

    func receive(_ frame: [UInt8], from other: Correspondent) {
        let verdict = admission.judge(
            frame: frame.span,
            from: .direct(LiveLink(to: other.person.id, epoch: other.person.session.epoch), Gate.key),
            now: person.now, wallClock: person.wallClock)
        switch verdict {
        case .admitted(let payload):
            note(person.router.route(payload, at: person.moment), with: other.person.id)
        case .repeated(let payload):
            note(person.router.route(payload, at: person.moment), with: other.person.id)
        case .dropped, .closeLink, .ban:
            Issue.record("an honest peer was not heard: \(verdict)")
        }
    }
}

private final class Correspondence {
    let sides = [Correspondent(seed: 1), Correspondent(seed: 2)]
    private var randomness: Randomness
    private var isLinked = false
    private var count = 0
    /// Whether users also leave, decline and start anew.
    private let isWild: Bool

    init(seed: UInt64, isWild: Bool) {
        randomness = .seeded(seed)
        self.isWild = isWild
        link()
    }

    func step() {
        let index = Int.random(in: 0...1, using: &randomness)
        let (me, other) = (sides[index], sides[1 - index])
        switch Int.random(in: 0..<(isWild ? 33 : 30), using: &randomness) {
        case 0...4: speak(me, other) { person, text throws(ChatError) in try person.direct(text, to: other.person) }
        case 5: attempt(me, other) { person throws(ChatError) in try person.accept(other.person) }
        case 6: change(me, other, isDeletion: false)
        case 7: change(me, other, isDeletion: true)
        case 8: me.person.router.open(Bool.random(using: &randomness) ? .publicRoom : .direct(other.person.id))
        case 9: if isLinked { unlink() } else { link() }
        case 10: link()
        case 11...14: pass(.milliseconds(Int64.random(in: 1...3_000, using: &randomness)))
        case 15...19: flush()
        case 20...29: deliverOne(to: index)
        case 30: attempt(me, other) { person throws(ChatError) in try person.leave(other.person) }
        case 31: attempt(me, other) { person throws(ChatError) in try person.router.decline(other.person.id) }
        default: restart(me)
        }
    }

    /// Delivers and accepts everything, on a link that stays.
    func exchangeUntilQuiet() {
        unlink()
        link()
        for _ in 0..<60 where !isSettled {
            for (index, me) in sides.enumerated() {
                let other = sides[1 - index]
                attempt(me, other) { person throws(ChatError) in try person.accept(other.person) }
            }
            flush()
            while !sides.allSatisfy(\.inbox.isEmpty) {
                deliverOne(to: 0)
                deliverOne(to: 1)
                flush()
            }
            pass(.seconds(1))
        }
    }

    /// True if neither side has a message to send or a request to accept.
    private var isSettled: Bool {
        sides.indices.allSatisfy { index in
            let chat = sides[index].person.router.directChats[sides[1 - index].person.id]
            return sides[index].inbox.isEmpty && chat?.request == nil && chat?.queue.isEmpty != false
                && !sides[index].person.router.hasReplies
        }
    }

    private func link() {
        guard !isLinked else { return }
        isLinked = true
        for (me, other) in [(sides[0], sides[1]), (sides[1], sides[0])] {
            me.link(to: other)
        }
    }

    private func unlink() {
        guard isLinked else { return }
        isLinked = false
        for (me, other) in [(sides[0], sides[1]), (sides[1], sides[0])] {
            me.inbox.removeAll()
            me.note(me.person.unlink(from: other.person, .lost), with: other.person.id)
        }
    }

    private func restart(_ side: Correspondent) {
        unlink()
        side.restart()
    }

    private func pass(_ time: Duration) { for side in sides { side.person.pass(time) } }

    private func flush() {
        for (me, other) in [(sides[0], sides[1]), (sides[1], sides[0])] { send(me.person.replies(), to: other) }
    }

    private func speak(
        _ me: Correspondent, _ other: Correspondent, _ say: (Person, String) throws(ChatError) -> Outcome
    ) {
        guard me.maySpeak() else { return }
        count += 1
        attempt(me, other) { person throws(ChatError) in try say(person, "text \(count)") }
    }

    private func change(_ me: Correspondent, _ other: Correspondent, isDeletion: Bool) {
        let own = me.person.router.history(.direct(other.person.id)).filter { $0.author == me.person.id }
        guard let message = own.randomElement(using: &randomness), me.maySpeak() else { return }
        let name = message.id.hexadecimal
        guard isDeletion else {
            return speak(me, other) { person, text throws(ChatError) in try person.edit(name, text) }
        }
        attempt(me, other) { person throws(ChatError) in
            let outcome = try person.delete(name)
            me.takenBack.insert(message.id)
            me.states[message.id] = nil
            return outcome
        }
    }

    private func attempt(
        _ me: Correspondent, _ other: Correspondent, _ operation: (Person) throws(ChatError) -> Outcome
    ) {
        let before = me.person.replies()
        guard let outcome = try? operation(me.person) else { return send(before, to: other) }
        send(before + outcome.outgoing, to: other)
        me.note(outcome.events, with: other.person.id)
    }

    private func send(_ outgoing: [Outgoing], to other: Correspondent) {
        let isAllowed = isLinked || outgoing.isEmpty
        #expect(isAllowed, "nothing is sent without a link")
        guard isLinked else { return }
        other.inbox += outgoing.map { Array($0.payload.signed.frameBody()) }
    }

    private func deliverOne(to index: Int) {
        guard !sides[index].inbox.isEmpty else { return }
        sides[index].receive(sides[index].inbox.removeFirst(), from: sides[1 - index])
    }
}

struct DeliveryFuzzTests {
    @Test(arguments: 1...400 as ClosedRange<UInt64>)
    func `with loss and retransmission both sides end with the same messages, each shown once`(seed: UInt64) {
        let run = Correspondence(seed: seed, isWild: false)
        for _ in 0..<150 { run.step() }
        run.exchangeUntilQuiet()
        for (me, other) in [(run.sides[0], run.sides[1]), (run.sides[1], run.sides[0])] {
            let mine = me.person.router.history(.direct(other.person.id)).filter { $0.author == me.person.id }
            let theirs = other.person.router.history(.direct(me.person.id)).filter { $0.author == me.person.id }
            #expect(mine.map(\.id) == theirs.map(\.id))
            #expect(mine.map(\.content) == theirs.map(\.content))
            #expect(me.shown.values.allSatisfy { $0 == 1 })
            #expect(me.states.values.allSatisfy { $0 == .delivered || $0 == .read })
            let waiting = me.person.router.directChats[other.person.id]?.queue.count ?? 0
            #expect(waiting == 0)
        }
    }

    @Test(arguments: 1...400 as ClosedRange<UInt64>)
    func `when sides leave, decline and restart, no message is shown twice or reported as delivered without being so`(
        seed: UInt64
    ) {
        let run = Correspondence(seed: seed, isWild: true)
        for _ in 0..<200 { run.step() }
        run.exchangeUntilQuiet()
        for (me, other) in [(run.sides[0], run.sides[1]), (run.sides[1], run.sides[0])] {
            #expect(me.shown.values.allSatisfy { $0 == 1 })
            let came = me.states.filter { $0.value == .delivered || $0.value == .read }.map(\.key)
            let isTrue = Set(came).isSubset(of: other.everShown)
            #expect(isTrue)
            me.note(me.person.router.giveUp(), with: other.person.id)
            #expect(!me.states.values.contains(.sending))
        }
    }
}
