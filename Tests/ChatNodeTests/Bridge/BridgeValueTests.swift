import Chat
import Noise
import Phrases
import Testing
import Wire

@testable import ChatNode

/// The outbox, the intake and the seal of a bridge (Docs/Bridge.md).
@Suite struct BridgeValueTests {
    private let start = Instant(nanoseconds: 0)
    private let author = Author.id(1)

    private enum Author {
        static func id(_ byte: UInt8) -> PeerID {
            guard let id = PeerID([UInt8](repeating: byte, count: 32)) else {
                preconditionFailure("32 bytes are a key")
            }
            return id
        }
    }

    private func content(_ number: UInt8) -> BridgedContent {
        .sealed([UInt8](repeating: number, count: SealedMessage.bodySizes[0]))
    }

    private func outbox(_ count: Int, rate: Rate = .unlimited) -> BridgeOutbox {
        var outbox = BridgeOutbox(rate: rate)
        for number in 0..<count {
            outbox.add(content(UInt8(number % 250)), by: author, isHistory: true, notBefore: start, now: start)
        }
        return outbox
    }

    /// The publications, and the notices, of effects.
    private func told(_ effects: [RoomBridge.Order]) -> (publications: Int, notices: [NoticeCode]) {
        var told = (publications: 0, notices: [NoticeCode]())
        for effect in effects {
            switch effect {
            case .publish: told.publications += 1
            case .notice(let code, _): told.notices.append(code)
            case .receive: break
            }
        }
        return told
    }

    @Test func `while the broker takes nothing, all waits, with one notice, and one when it goes on`() throws {
        var randomness = Randomness.seeded(5)
        var configuration = NodeConfiguration()
        configuration.bridge = BridgeSetup(key: BridgeKey(using: &randomness), port: NoPort())
        var bridge = try #require(RoomBridge(configuration))
        let connected = told(bridge.handle(.connected("b"), now: start))
        #expect(connected.publications == 1)
        let blocked = told(bridge.handle(.blocked("low on memory"), now: start))
        #expect(blocked.notices == [.bridgeBlocked] && bridge.obstacle == "low on memory")
        let again = told(bridge.handle(.blocked("low on disk"), now: start))
        #expect(again.notices == [])
        let published = told(bridge.publish(sealed: [UInt8](repeating: 1, count: 900), from: author, now: start))
        #expect(published.publications == 0 && bridge.waiting == 2 && bridge.nextDeadline(now: start) == nil)
        let goesOn = told(bridge.handle(.unblocked, now: start))
        #expect(goesOn.notices == [.bridgeUnblocked] && goesOn.publications == 1)
        _ = bridge.handle(.blocked("low on disk"), now: start)
        _ = bridge.handle(.disconnected(Sentence(.bridgeConnecting)), now: start)
        #expect(bridge.obstacle == nil)
    }

    @Test func `publications go in order, a window at a time, and again after a lost connection`() {
        var outbox = outbox(200)
        let first = outbox.takeDue(now: start).map(\.tag)
        #expect(first == Array(1...UInt64(Limits.bridgeWindow)))
        let more = outbox.takeDue(now: start)
        #expect(more.isEmpty && outbox.nextDeadline(now: start) == nil)
        for tag in first.prefix(100) { outbox.confirm(tag) }
        let rest = outbox.takeDue(now: start).count
        #expect(rest == 72)
        outbox.disconnected()
        let again = outbox.takeDue(now: start).first?.tag
        #expect(again == 101)
        #expect(outbox.count == 100 && outbox.dropped == 0)
    }

    @Test func `an author's backlog is paced, and a refused publication waits`() {
        var outbox = outbox(40, rate: Rate(perSecond: 4, burst: 10))
        let burst = outbox.takeDue(now: start).count
        #expect(burst == 10)
        let next = outbox.nextDeadline(now: start)
        #expect(next.map { $0 > start && $0 <= start + .milliseconds(251) } == true)
        outbox.refuse(1, now: start)
        let early = outbox.takeDue(now: start + .milliseconds(200))
        let late = outbox.takeDue(now: start + .seconds(1)).first?.tag
        #expect(early.isEmpty && late == 1)
    }

    @Test func `the oldest of too many publications goes, and each after ten minutes`() {
        var outbox = outbox(Limits.bridgeWaiting + 5)
        #expect(outbox.count == Limits.bridgeWaiting && outbox.dropped == 5)
        let oldest = outbox.takeDue(now: start).first?.tag
        let expired = outbox.takeDue(now: start + Limits.bridgeWaitingTime)
        #expect(oldest == 6 && expired.isEmpty)
        #expect(outbox.count == 0 && outbox.dropped == Limits.bridgeWaiting + 5)
    }

    @Test func `junk, repetitions, own boxes and too much are refused, and a flood is paced`() throws {
        var randomness = Randomness.seeded(9)
        let key = BridgeKey(using: &randomness)
        let seal = BridgeSeal(key, room: Room.lobby.id)
        var intake = BridgeIntake(seal, pace: .unlimited, now: start)
        let box = seal.seal(content(1), using: &randomness)
        #expect(box.count == 512 + BridgeKey.overhead)
        let strangers = [
            BridgeSeal(BridgeKey(using: &randomness), room: Room.lobby.id),
            BridgeSeal(key, room: Room(openNamed: "kitchen").id),
        ].map { $0.seal(content(1), using: &randomness) }
        let junk = [0, 1, 39, 40, 552, 1_320, 4_136].map { [UInt8](repeating: 7, count: $0) }
        for refused in junk + strangers {
            let isTaken = intake.receive(refused, tag: 1, isHistory: false)
            #expect(!isTaken)
        }
        let own = seal.seal(.greeting, using: &randomness)
        intake.recordPublished(own)
        let taken = [own, box, box].map { intake.receive($0, tag: 2, isHistory: false) }
        #expect(taken == [false, true, false])
        #expect(intake.refused == [.unopened: 9, .repeated: 2])
        let due = intake.takeDue(now: start).map(\.tag)
        #expect(due == [2])
        var passed = 0
        for number in 0..<2_000 {
            _ = intake.receive(seal.seal(content(UInt8(number % 250)), using: &randomness), tag: 4, isHistory: false)
            passed += intake.takeDue(now: start).count
        }
        #expect(passed < Int(Limits.bridgedPerSecond))
        #expect(intake.refused[.overflow, default: 0] > 1_000)
        #expect(intake.wait(now: start) != nil)
    }

    @Test func `content survives its encoding, and a changed byte of it opens nowhere`() throws {
        var randomness = Randomness.seeded(10)
        let seal = BridgeSeal(BridgeKey(using: &randomness), room: Room.lobby.id)
        for size in SealedMessage.bodySizes {
            let content = BridgedContent.sealed((0..<size).map { UInt8(truncatingIfNeeded: $0) })
            let box = seal.seal(content, using: &randomness)
            #expect(seal.open(box) == content)
            for place in stride(from: 0, to: box.count, by: 97) {
                var altered = box
                altered[place] ^= 1
                #expect(seal.open(altered) == nil)
            }
        }
        #expect(BridgedContent(decoding: [9] + [UInt8](repeating: 0, count: 511)) == nil)
        #expect(BridgedContent(decoding: [3] + [UInt8](repeating: 0, count: 510) + [1]) == nil)
        #expect(BridgedContent(decoding: [1] + [UInt8](repeating: 255, count: 511)) == nil)
        #expect(BridgedContent(decoding: []) == nil)
    }
}
