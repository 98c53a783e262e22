import Chat
import Noise
import Testing
import Wire

@testable import ChatNode

/// The handshake by which an open link replaces its keys (Protocol.md section 4).
@Suite struct RenewalTests {
    private func time(_ seconds: Int64) -> Instant { Instant(nanoseconds: seconds * 1_000_000_000) }

    private func set(_ now: Instant, _ pair: LinkPair) { for side in [pair.alice, pair.bob] { side.now = now } }

    private func open(seed: UInt64 = 1) -> LinkPair {
        let pair = LinkPair(seed: seed)
        pair.shuttle()
        return pair
    }

    /// Lets both ends act every 10 s until a time, or until both have replaced their keys.
    private func idle(_ pair: LinkPair, until end: Int64) {
        while pair.alice.now < time(end), pair.alice.link.renewals == 0 || pair.bob.link.renewals == 0 {
            set(pair.alice.now + .seconds(10), pair)
            for side in [pair.alice, pair.bob] { side.tick() }
            pair.shuttle()
        }
    }

    @Test func `the initiator replaces the keys at 50 to 58 minutes, each link at another age`() {
        var ages: Set<Instant> = []
        for seed in 1...12 as ClosedRange<UInt64> {
            let pair = open(seed: seed * 10)
            idle(pair, until: 3_600)
            #expect(pair.alice.failure == nil && pair.bob.failure == nil)
            #expect(pair.alice.link.renewals == 1 && pair.bob.link.renewals == 1)
            #expect(pair.alice.now >= time(3_000) && pair.alice.now <= time(3_490))
            ages.insert(pair.alice.now)
        }
        #expect(ages.count > 6)
    }

    @Test func `frames of both sides come once and in order at every step of it`() {
        let pair = open()
        var sent: [[UInt8]] = []
        for step in 0..<12 as Range<UInt8> {
            let frame = [FrameType.payload.rawValue, step]
            sent.append(frame)
            for side in [pair.alice, pair.bob] { side.link.enqueue(frame) }
            if step == 0 { pair.alice.beginRenewal() }
            let (fromAlice, fromBob) = (pair.alice.output(), pair.bob.output())
            // Written after the other side's bytes are on their way.
            for side in [pair.alice, pair.bob] { side.link.enqueue(frame + [1]) }
            sent.append(frame + [1])
            pair.bob.receive(fromAlice)
            pair.alice.receive(fromBob)
        }
        pair.shuttle()
        #expect(pair.alice.link.renewals == 1 && pair.bob.link.renewals == 1)
        #expect(pair.alice.frames == sent && pair.bob.frames == sent)
        #expect(pair.alice.failure == nil && pair.bob.failure == nil)
    }

    @Test func `each direction uses its old key for no record after the last of the handshake`() {
        let pair = open()
        pair.alice.beginRenewal()
        pair.bob.receive(pair.alice.output())
        pair.alice.receive(pair.bob.output())
        #expect(pair.alice.records.sealed == 0 && pair.alice.records.opened > 0)
        pair.bob.receive(pair.alice.output())
        #expect(pair.bob.records.sealed == 0 && pair.bob.records.opened == 0)
        pair.alice.receive(pair.bob.output())
        #expect(pair.alice.records.opened == 0)
    }

    @Test func `its messages have records of 1298 bytes, and its end one of 530`() {
        let pair = open()
        pair.alice.beginRenewal()
        var sizes: [Int] = []
        for _ in 0..<2 {
            let fromAlice = pair.alice.output()
            pair.bob.receive(fromAlice)
            let fromBob = pair.bob.output()
            pair.alice.receive(fromBob)
            sizes += [fromAlice.count, fromBob.count]
        }
        #expect(sizes == [1_298, 1_298, 1_298, 530])
    }

    @Test func `a peer that does not begin, and one that does not answer, lose the link after an hour`() {
        for silent in [Link.Role.initiator, .responder] {
            let pair = open()
            let victim = silent == .initiator ? pair.bob : pair.alice
            let stranger = silent == .initiator ? pair.alice : pair.bob
            for second in stride(from: 10, through: 3_600, by: 10) as StrideThrough<Int64> {
                #expect(victim.failure == nil)
                victim.now = time(second)
                victim.tick()
                // It answers pings as before, and nothing else.
                _ = victim.output()
                stranger.link.enqueue([200])
                victim.receive(stranger.output())
            }
            #expect(victim.failure == .expired)
        }
    }

    @Test func `a peer that begins every second is cut off at the third, whatever it has sent`() {
        let pair = open()
        for second in 1...3 as ClosedRange<Int64> {
            set(time(second), pair)
            pair.alice.beginRenewal()
            pair.shuttle()
        }
        #expect(pair.alice.link.renewals == 2)
        #expect(pair.bob.failure == .handshakeFailed && pair.bob.isDead)
    }

    @Test func `one that begins again after ten minutes is answered`() {
        let pair = open()
        for number in 1...6 as ClosedRange<Int64> {
            set(time(number * 600), pair)
            for side in [pair.alice, pair.bob] { side.link.enqueue([200]) }
            pair.shuttle()
            // The probe that a long silence causes comes first.
            pair.alice.tick()
            pair.shuttle()
            pair.alice.beginRenewal()
            pair.shuttle()
        }
        #expect(pair.alice.link.renewals == 6 && pair.bob.failure == nil)
    }

    @Test func `a frame that is no step of it ends the link`() {
        let message = [FrameType.handshake.rawValue] + [UInt8](repeating: 7, count: Handshake.messageSize)
        let frames = [[FrameType.handshake.rawValue], [FrameType.handshake.rawValue, 1], message]
        for frame in frames {
            for isFromAlice in [true, false] {
                let pair = open()
                (isFromAlice ? pair.alice : pair.bob).link.enqueue(frame)
                pair.shuttle()
                let victim = isFromAlice ? pair.bob : pair.alice
                #expect(victim.failure == .handshakeFailed && victim.isDead)
            }
        }
    }

    @Test func `another static key than that of the connection is refused`() {
        let pair = open()
        let thief = LinkSide.context(seed: 99)
        var randomness = Randomness.seeded(9)
        do throws(LinkError) { try pair.alice.link.beginRenewal(thief, using: &randomness) } catch {
            Issue.record("it could not begin")
        }
        pair.shuttle()
        #expect(pair.bob.failure == .handshakeFailed && pair.bob.link.renewals == 0)
    }

    @Test func `the keys are replaced by their records too, and end the link where they are not`() {
        var randomness = Randomness.seeded(3)
        for role in [Link.Role.initiator, .responder] {
            var timing = LinkTiming(role: role, now: time(0), using: &randomness)
            timing.opened(at: time(0))
            let early = Limits.recordsPerHandshake - Limits.recordsPerHandshake / 8
            let isDueEarly = timing.countRecords(early - 1, at: time(1))
            #expect(!isDueEarly)
            #expect(timing.deadline(isOpen: true) > time(1))
            let late = Limits.recordsPerHandshake - Limits.recordsPerHandshake / 16
            let isDueLate = timing.countRecords(late, at: time(1))
            #expect(isDueLate == (role == .initiator))
            if role == .initiator {
                guard case .renewal = timing.due(now: time(1), isOpen: true) else {
                    Issue.record("nothing is due")
                    continue
                }
                timing.didBeginRenewal()
            }
            #expect(timing.deadline(isOpen: true) > time(1))
            let isDueAtLast = timing.countRecords(Limits.recordsPerHandshake, at: time(2))
            #expect(isDueAtLast)
            guard case .end(.expired) = timing.due(now: time(2), isOpen: true) else {
                Issue.record("the link does not end")
                continue
            }
        }
    }
}
