import Testing
import Wire

@testable import ChatNode

/// Pings on links whose queues are held up at times (Protocol.md section 3).
@Suite struct KeepaliveTests {
    private let pair = LinkPair()

    init() {
        pair.shuttle()
    }

    private func setTime(_ seconds: Int64) {
        for side in [pair.alice, pair.bob] { side.now = Instant(nanoseconds: seconds * 1_000_000_000) }
    }

    /// Lets both ends act at each of their deadlines until `end`; each end's output arrives at once.
    private func idle(until end: Int64) {
        for second in pair.alice.now.nanoseconds / 1_000_000_000...end {
            setTime(second)
            for side in [pair.alice, pair.bob] { side.tick() }
            pair.shuttle()
        }
    }

    /// Queues a frame that the network does not take.
    private func holdUp(_ side: LinkSide) {
        side.link.enqueue([FrameType.payload.rawValue, 1])
        side.offer(taking: 0)
    }

    @Test func `the ping that a held-up peer dropped is answered when its queue drains`() {
        holdUp(pair.alice)
        setTime(61)
        pair.bob.tick()
        pair.alice.receive(pair.bob.output())
        setTime(63)
        pair.bob.receive(pair.alice.output())
        #expect(pair.bob.roundTrip == .seconds(2))
        idle(until: 600)
        #expect(pair.alice.failure == nil && pair.bob.failure == nil)
    }

    @Test func `of several dropped pings the newest is answered, once`() {
        holdUp(pair.alice)
        for second in 1...3 as ClosedRange<Int64> {
            setTime(second)
            pair.bob.ping()
            pair.alice.receive(pair.bob.output())
        }
        setTime(4)
        pair.bob.receive(pair.alice.output())
        #expect(pair.bob.roundTrip == .seconds(1))
        #expect(pair.alice.output().isEmpty)
    }

    @Test func `an idle link lives on after pings were dropped on both sides`() {
        holdUp(pair.alice)
        holdUp(pair.bob)
        setTime(61)
        for side in [pair.alice, pair.bob] { side.tick() }
        // The pings go out and the rest of each queue does not: it holds the peer's ping up as before.
        let (fromAlice, fromBob) = (pair.alice.output(), pair.bob.output())
        holdUp(pair.alice)
        holdUp(pair.bob)
        pair.alice.receive(fromBob)
        pair.bob.receive(fromAlice)
        setTime(62)
        pair.shuttle()
        idle(until: 600)
        #expect(pair.alice.failure == nil && pair.bob.failure == nil)
    }

    @Test func `a record that waited while the machine slept is no sign of life`() {
        pair.alice.link.enqueue([FrameType.payload.rawValue, 1])
        let waiting = pair.alice.output()
        setTime(600)
        pair.bob.receive(waiting)
        #expect(pair.bob.link.deadline == pair.bob.now)
        pair.bob.tick()
        setTime(605)
        pair.bob.tick()
        #expect(pair.bob.failure == nil)
        setTime(606)
        pair.bob.tick()
        #expect(pair.bob.failure == .unanswered)
    }

    @Test func `a link whose peer answers outlives the sleep of the machine`() {
        pair.alice.link.enqueue([FrameType.payload.rawValue, 1])
        let waiting = pair.alice.output()
        pair.bob.now = Instant(nanoseconds: 600_000_000_000)
        pair.bob.receive(waiting)
        pair.bob.tick()
        pair.shuttle()
        pair.bob.now = Instant(nanoseconds: 606_000_000_000)
        pair.bob.tick()
        #expect(pair.bob.failure == nil)
    }

    @Test func `five pings at once are answered, then one a second, and the others are counted`() {
        let pongs = { (side: LinkSide) in side.link.unansweredPings }
        for _ in 0..<40 { pair.bob.link.enqueue([FrameType.ping.rawValue] + [UInt8](repeating: 7, count: 8)) }
        pair.shuttle()
        #expect(pongs(pair.alice) == 35)
        for second in 1...10 as ClosedRange<Int64> {
            setTime(second)
            for _ in 0..<10 { pair.bob.link.enqueue([FrameType.ping.rawValue] + [UInt8](repeating: 7, count: 8)) }
            pair.shuttle()
            #expect(pongs(pair.alice) == 35 + 9 * Int(second))
        }
        #expect(pair.alice.failure == nil && pair.bob.failure == nil)
    }

    @Test func `a network that changes thirty times within three seconds ends no link`() {
        for tenth in 0..<30 as Range<Int64> {
            setTime(0)
            for side in [pair.alice, pair.bob] { side.now = side.now + .milliseconds(tenth * 100) }
            pair.bob.probe()
            pair.bob.tick()
            pair.shuttle()
        }
        #expect(pair.alice.link.unansweredPings == 0)
        idle(until: 40)
        #expect(pair.alice.failure == nil && pair.bob.failure == nil)
    }

    @Test func `a probe behind a ping waits a second, and ends a link that is dead`() {
        pair.bob.ping()
        pair.shuttle()
        pair.bob.probe()
        #expect(pair.bob.output().isEmpty)
        setTime(1)
        pair.bob.tick()
        #expect(pair.bob.output().count == 530)
        setTime(6)
        pair.bob.tick()
        #expect(pair.bob.failure == nil)
        setTime(7)
        pair.bob.tick()
        #expect(pair.bob.failure == .unanswered)
    }

    @Test func `any record ends the wait for a pong, and the next silence brings another ping`() {
        setTime(61)
        pair.bob.tick()
        _ = pair.bob.output()
        pair.alice.link.enqueue([FrameType.payload.rawValue, 1])
        pair.bob.receive(pair.alice.output())
        setTime(122)
        pair.bob.tick()
        #expect(pair.bob.failure == nil)
        #expect(pair.bob.output().count == 530)
    }
}
