import Noise
import Testing
import Wire

@testable import Chat

struct MessageRingTests {
    private let alice = Person("alice", seed: 1)

    private func message(_ text: String, isHistory: Bool = false, receivedAt time: UInt64 = 0) throws -> Message {
        let payload = alice.signPublic(text).payload
        return try #require(
            Message(
                from: payload, knownStage: .newcomer, receivedAt: Timestamp(milliseconds: time), isHistory: isHistory))
    }

    private func past(_ text: String, at milliseconds: UInt64) throws -> Message {
        alice.wallClock = Timestamp(milliseconds: milliseconds)
        return try message(text, isHistory: true)
    }

    private func filled(_ count: Int, capacity: Int = 100) throws -> MessageRing {
        var ring = MessageRing(capacity: capacity)
        for number in 0..<count { ring.append(try message("\(number)")) }
        return ring
    }

    @Test func `of 101 messages the last 100 are left, and the first is what fell out`() throws {
        var ring = try filled(100)
        #expect(ring.map(\.content) == (0..<100).map(String.init))
        let fallen = ring.append(try message("100"))
        #expect(fallen?.content == "0")
        #expect(ring.map(\.content) == (1...100).map(String.init))
        #expect(fallen.flatMap { ring[id: $0.id] } == nil)
    }

    @Test func `after many turns of the ring each message is found by its id and its age`() throws {
        let ring = try filled(777)
        #expect(ring.count == 100)
        for (position, message) in ring.enumerated() {
            #expect(ring[id: message.id] == message)
            #expect(ring[position].content == "\(677 + position)")
        }
    }

    @Test func `a message that is there is not added again`() throws {
        var ring = try filled(3)
        let again = ring[1]
        let fallen = ring.append(again)
        #expect(fallen == nil)
        #expect(ring.count == 3)
    }

    @Test func `deleting from a wrapped ring keeps the order and makes room for one more`() throws {
        var ring = try filled(8, capacity: 5)
        let deleted = ring[2].id
        let outcomes = [ring.delete(deleted), ring.delete(deleted)]
        #expect(outcomes == [true, false])
        #expect(ring.map(\.content) == ["3", "4", "6", "7"])
        let fallen = [ring.append(try message("8")), ring.append(try message("9"))]
        #expect(fallen.map { $0?.content } == [nil, "3"])
        #expect(ring.map(\.content) == ["4", "6", "7", "8", "9"])
        #expect(ring.allSatisfy { ring[id: $0.id] == $0 })
    }

    @Test func `history goes by signed time before all that was heard live`() throws {
        var ring = MessageRing(capacity: 5)
        let live = try message("live, although signed first")
        ring.append(live)
        for (text, time) in [("b", 2_000), ("c", 3_000), ("a", 1_000)] as [(String, UInt64)] {
            let isIn = ring.insertHistory(try past(text, at: 1_900_000_000_000 + time))
            #expect(isIn)
        }
        #expect(ring.map(\.content) == ["a", "b", "c", live.content])
        #expect(ring.allSatisfy { ring[id: $0.id] == $0 })
    }

    @Test func `history that is older than a full ring reaches is refused, younger history takes its oldest place`()
        throws
    {
        var ring = MessageRing(capacity: 3)
        ring.append(try message("live"))
        let outcomes = [
            ring.insertHistory(try past("b", at: 2_000)), ring.insertHistory(try past("d", at: 4_000)),
            ring.insertHistory(try past("a", at: 1_000)),
        ]
        #expect(outcomes == [true, true, false])
        #expect(ring.map(\.content) == ["b", "d", "live"])
        let isIn = ring.insertHistory(try past("c", at: 3_000))
        #expect(isIn)
        #expect(ring.map(\.content) == ["c", "d", "live"])
    }

    @Test func `a ring full of what was heard live takes no history`() throws {
        var ring = try filled(9, capacity: 4)
        let isIn = ring.insertHistory(try past("old", at: 1))
        #expect(!isIn)
        #expect(ring.map(\.content) == ["5", "6", "7", "8"])
    }

    @Test func `a message found both ways is one message`() throws {
        var ring = MessageRing()
        let payload = alice.signPublic("once").payload
        let time = Timestamp(milliseconds: 0)
        let live = try #require(Message(from: payload, knownStage: .newcomer, receivedAt: time, isHistory: false))
        let old = try #require(Message(from: payload, knownStage: .newcomer, receivedAt: time, isHistory: true))
        ring.append(live)
        let isInTwice = ring.insertHistory(old)
        #expect(!isInTwice)
        #expect(Array(ring) == [live])
    }

    @Test func `a ring for one message holds the last one`() throws {
        var ring = try filled(3, capacity: 1)
        #expect(ring.map(\.content) == ["2"])
        ring.delete(ring[0].id)
        #expect(ring.isEmpty)
        ring.append(try message("3"))
        #expect(ring.map(\.content) == ["3"])
    }
}
