import ChatNode
import Testing
import Wire

/// The ends of dials that peers wished for (Protocol.md section 8).
@Suite struct ToldDialTests {
    private let start = Instant(nanoseconds: 1_000_000_000)
    private var randomness = SystemRandomNumberGenerator()

    @Test mutating func `the end of a told dial shows after 10 to 12 s, and that of another at once`() {
        var dials = ToldDials()
        var ends: Set<Instant> = []
        for number in 1...20 as ClosedRange<UInt64> {
            dials.began(ConnectionID(number: number), now: start, using: &randomness)
            guard let end = dials.finish(ConnectionID(number: number)) else { return #expect(Bool(false)) }
            #expect((start + .seconds(10)...start + .seconds(12)).contains(end))
            ends.insert(end)
        }
        #expect(ends.count > 10)
        #expect(dials.finish(ConnectionID(number: 1)) == nil && dials.finish(ConnectionID(number: 99)) == nil)
    }

    @Test mutating func `a told endpoint that failed is not dialled again before its end shows`() throws {
        var dialler = Dialler()
        let endpoint = Endpoint(address: [10, 0, 0, 1], port: 4_000)
        dialler.found("contact", at: endpoint, now: start, using: &randomness)
        let order = try #require(dialler.due(now: start + .seconds(1)).first)
        let connection = ConnectionID(number: 1)
        dialler.dialled(order, as: connection)
        let end = start + .seconds(12)
        dialler.failed(connection, now: start + .seconds(1), until: end, using: &randomness)
        #expect(dialler.nextDeadline == end)
        #expect(dialler.due(now: end + .milliseconds(-1)).isEmpty)
        #expect(dialler.due(now: end).map(\.endpoint) == [endpoint])
    }
}
