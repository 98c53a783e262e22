import ChatNode
import Noise
import Testing
import Wire

/// Peers that read slowly or nothing, and the size of the record that a link opens with.
@Suite struct SlowReaderTests {
    private let start = Instant(nanoseconds: 1_000_000_000)

    @Test func `a peer that acknowledges nothing for 8 s reads too slowly, looked at every 2 s`() {
        var reader = SlowReader(acknowledged: 100, now: start)
        for second in [2, 4, 6] {
            #expect(reader.lookAt == start + .seconds(second))
            #expect(reader.look(acknowledged: 100, at: reader.lookAt) == true)
        }
        #expect(reader.look(acknowledged: 100, at: reader.lookAt) == false)
    }

    @Test func `a peer that acknowledges a byte now and then reads`() {
        var reader = SlowReader(acknowledged: 100, now: start)
        for second in 1...60 {
            let now = reader.lookAt
            #expect(reader.look(acknowledged: 100 + second / 3, at: now) == true)
        }
    }

    /// A link whose other end is on a network that takes so many bytes.
    private func open() -> LinkPair {
        let pair = LinkPair()
        pair.shuttle()
        return pair
    }

    private let frame = [FrameType.news.rawValue] + [UInt8](repeating: 1, count: 400)

    @Test func `a link whose queue is held up for 8 s without an acknowledged byte is too slow`() throws {
        let side = open().alice
        side.now = start
        side.link.enqueue(frame)
        side.offer(taking: 10)
        #expect(side.link.reviewDeadlines(now: start, unacknowledged: 10) == true)
        #expect(side.link.reviewDeadlines(now: start, unacknowledged: 10) == false, "it is watched already")
        var randomness = Randomness.seeded(1)
        for second in [2, 4, 6] {
            try side.link.tick(side.context, now: start + .seconds(second), unacknowledged: 10, using: &randomness)
        }
        #expect(throws: LinkError.tooSlow) {
            try side.link.tick(side.context, now: start + .seconds(8), unacknowledged: 10, using: &randomness)
        }
        #expect(side.isDead)
    }

    @Test func `a link is not watched any more once its queue is empty`() throws {
        let side = open().alice
        side.now = start
        side.link.enqueue(frame)
        side.offer(taking: 10)
        #expect(side.link.reviewDeadlines(now: start, unacknowledged: 10) == true)
        side.offer(taking: .max)
        #expect(side.link.reviewDeadlines(now: start, unacknowledged: 540) == false)
        var randomness = Randomness.seeded(1)
        try side.link.tick(side.context, now: start + .seconds(20), unacknowledged: 540, using: &randomness)
        #expect(!side.isDead)
    }

    @Test(arguments: [1, 300, 510, 1_278]) func `a link opens with a record of one size`(bytes: Int) {
        let pair = open()
        pair.alice.link.enqueue([UInt8](repeating: 1, count: bytes))
        pair.alice.link.sealOpening()
        #expect(pair.alice.output().count == 1_298)
        pair.alice.link.enqueue(frame)
        #expect(pair.alice.output().count == 530, "the next one has its own size")
    }
}
