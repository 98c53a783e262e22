import ChatNode
import Discovery
import Noise
import Testing

@testable import Reactor

@Suite struct MemoryReturnTests {
    private static let much = MemoryReturn.Slack.worthwhile

    /// At which of these the memory that is free is worth returning, when a return leaves `rest` of it.
    private func returns(_ slacks: [Int], rest: Int = 0) -> [Int] {
        var slack = MemoryReturn.Slack()
        return slacks.indices.filter {
            guard slack.isWorthReturning(slacks[$0]) else { return false }
            slack.record(rest)
            return true
        }
    }

    @Test func `a burst is cleared away once`() {
        #expect(returns([0, Self.much, 0, 0, 5]) == [1])
        #expect(returns([0, Self.much, 0, Self.much - 1, Self.much * 9, 0]) == [1, 4])
    }

    @Test func `memory that can not be returned is not asked for again`() {
        #expect(returns([Self.much, Self.much, Self.much * 2 - 1, Self.much * 2], rest: Self.much) == [0, 3])
    }

    @Test func `the rest counts from the smallest size that there was`() {
        let slacks = [3, 4, 2, 3].map { $0 * Self.much }
        #expect(returns(slacks, rest: Self.much * 3) == [0, 1, 3])
    }

    @Test func `ten nodes that follow each other on a loop leave one timer for memory`() async throws {
        let loop = try EventLoop(name: "node")
        MemoryReturn.keep(on: loop)
        try loop.start()
        var network = LocalNetwork()
        network.discovery = .none
        for _ in 0..<10 {
            _ = try network.node(NodeConfiguration(), .passing(), on: loop) { _ in }
        }
        let count = await withCheckedContinuation { answer in
            loop.execute { answer.resume(returning: loop.timerCount) }
        }
        #expect(count == 1)
        loop.stop()
    }
}
