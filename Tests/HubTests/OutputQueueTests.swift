import Chat
import Commands
import Model
import TestSupport
import Testing

@testable import Hub

/// Packets that wait for a client.
@Suite struct OutputQueueTests {
    @Test func `a forgotten packet is taken back, unless a part of it is sent`() throws {
        let who = try Sample.who()
        let topic = EventTopic(try Sample.said("hi", by: who), in: .lobby)
        let deleted = RoomReport(.lobby, .event(.deleted(try Sample.said("", by: who))))
        let wiped = RoomReport(.lobby, .event(.stopped(.asked)))
        for report in [deleted, wiped] {
            var queue = OutputQueue(capacity: 100)
            for (text, topic) in [("first", nil), ("SECRET", topic), ("last", nil)] {
                let isKept = queue.append(Array(text.utf8), of: topic)
                #expect(isKept)
            }
            let erasure = try #require(Erasure(behind: report))
            let isWhole = queue.erase(erasure)
            #expect(isWhole)
            #expect(queue.waiting == 9)
            #expect(Array(queue.bytes(upTo: 1)) == Array("first".utf8))
            queue.take(5)
            #expect(Array(queue.bytes(upTo: 1)) == Array("last".utf8))
            _ = queue.append(Array("SECRET".utf8), of: topic)
            queue.take(4)
            queue.take(2)
            let isStillWhole = queue.erase(erasure)
            #expect(!isStillWhole)
            #expect(queue.waiting == 4)
            #expect(Array(queue.bytes(upTo: 1)) == Array("CRET".utf8))
        }
    }

    @Test func `more than its capacity is refused, and all that was taken makes room`() {
        var queue = OutputQueue(capacity: 10)
        let isKept = queue.append([UInt8](repeating: 1, count: 10), of: nil)
        let isRefused = !queue.append([1], of: nil)
        #expect(isKept && isRefused)
        queue.take(4)
        #expect(queue.waiting == 6)
        let isBehind = queue.append([2, 2, 2, 2], of: nil)
        #expect(isBehind)
        queue.take(6)
        #expect(Array(queue.bytes(upTo: 1)) == [2, 2, 2, 2])
        queue.take(4)
        #expect(queue.isEmpty && queue.bytes(upTo: 100).isEmpty)
    }
}
