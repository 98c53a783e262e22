import Noise
import Testing
import Wire

@testable import Chat

struct MessageRingTests {
    private let alice = Person("alice", seed: 1)

    private func message(_ text: String, isHistory: Bool = false, receivedAt time: UInt64? = nil) throws -> Message {
        let payload = alice.signPublic(text)
        let received = time.map { Timestamp(milliseconds: $0) } ?? alice.wallClock
        return try #require(
            Message(from: payload, knownStage: .newcomer, receivedAt: received, askedAt: isHistory ? received : nil))
    }

    private func past(_ text: String, at milliseconds: UInt64) throws -> Message {
        try message(text, at: milliseconds, isHistory: true)
    }

    private func message(_ text: String, at milliseconds: UInt64, isHistory: Bool = false) throws -> Message {
        let now = alice.wallClock
        defer { alice.wallClock = now }
        alice.wallClock = Timestamp(milliseconds: milliseconds)
        return try message(text, isHistory: isHistory, receivedAt: isHistory ? now.milliseconds : milliseconds)
    }

    private func filled(_ count: Int, capacity: Int = 100) throws -> MessageRing {
        var ring = MessageRing(capacity: capacity)
        for number in 0..<count { _ = ring.insert(try message("\(number)")) }
        return ring
    }

    @Test func `of 101 messages the last 100 are kept, and the first is evicted`() throws {
        var ring = try filled(100)
        #expect(ring.map(\.content) == (0..<100).map(String.init))
        let oldest = ring[0].id
        let placement = ring.insert(try message("100"))
        #expect(placement.evicted == oldest)
        #expect(ring.map(\.content) == (1...100).map(String.init))
        #expect(ring[id: oldest] == nil)
    }

    @Test func `after many turns of the ring each message is found by its id and its position`() throws {
        let ring = try filled(777)
        #expect(ring.count == 100)
        for (position, message) in ring.enumerated() {
            #expect(ring[id: message.id] == message)
            #expect(ring[position].content == "\(677 + position)")
        }
    }

    @Test func `a message that is here is not added again`() throws {
        var ring = try filled(3)
        let again = ring[1]
        let placement = ring.insert(again)
        #expect(placement == .duplicate)
        #expect(ring.count == 3)
    }

    @Test func `deleting from a wrapped ring keeps the order and makes room for one message`() throws {
        var ring = try filled(8, capacity: 5)
        let deleted = ring[2].id
        let outcomes = [ring.delete(deleted), ring.delete(deleted)]
        #expect(outcomes == [true, false])
        #expect(ring.map(\.content) == ["3", "4", "6", "7"])
        let oldest = ring[0].id
        let placements = [ring.insert(try message("8")), ring.insert(try message("9"))]
        #expect(placements.map(\.evicted) == [nil, oldest])
        #expect(ring.map(\.content) == ["4", "6", "7", "8", "9"])
        #expect(ring.allSatisfy { ring[id: $0.id] == $0 })
    }

    @Test func `history is shown by signed time before all live messages`() throws {
        var ring = MessageRing(capacity: 5)
        let live = try message("live, although signed first")
        _ = ring.insert(live)
        for (text, time) in [("b", 2_000), ("c", 3_000), ("a", 1_000)] as [(String, UInt64)] {
            let placement = ring.insert(try past(text, at: 1_900_000_000_000 + time))
            #expect(placement == .kept(evicted: nil))
        }
        #expect(ring.map(\.content) == ["a", "b", "c", live.content])
        #expect(ring.allSatisfy { ring[id: $0.id] == $0 })
    }

    @Test func `history older than a full ring is refused, later history evicts the oldest message`()
        throws
    {
        var ring = MessageRing(capacity: 3)
        _ = ring.insert(try message("live"))
        let placements = [
            ring.insert(try past("b", at: 2_000)), ring.insert(try past("d", at: 4_000)),
            ring.insert(try past("a", at: 1_000)),
        ]
        #expect(placements == [.kept(evicted: nil), .kept(evicted: nil), .tooOld])
        #expect(ring.map(\.content) == ["b", "d", "live"])
        let oldest = MessageRing.Evicted(id: ring[0].id, author: ring[0].author, time: ring[0].place.time)
        let placement = ring.insert(try past("c", at: 3_000))
        #expect(placement == .kept(evicted: oldest))
        #expect(ring.map(\.content) == ["c", "d", "live"])
    }

    @Test func `a ring full of live messages takes no older history`() throws {
        var ring = try filled(9, capacity: 4)
        let placement = ring.insert(try past("old", at: 1))
        #expect(placement == .tooOld)
        #expect(ring.map(\.content) == ["5", "6", "7", "8"])
    }

    @Test func `a live message makes room for later history`() throws {
        var ring = MessageRing(capacity: 2)
        let oldest = try message("a", at: 1_000)
        let placements = [
            ring.insert(oldest), ring.insert(try message("c", at: 3_000)), ring.insert(try past("b", at: 2_000)),
        ]
        #expect(placements.map(\.evicted) == [nil, nil, oldest.id])
        #expect(ring.map(\.content) == ["b", "c"])
    }

    @Test func `a burst of one millisecond is evicted in the order of signing`() throws {
        var ring = MessageRing(capacity: 50)
        let burst = try (0..<60).map { try message("\($0)", at: 5_000) }
        for message in burst.reversed() { _ = ring.insert(message) }
        #expect(Set(ring.map(\.content)) == Set((10..<60).map(String.init)))
    }

    @Test func `a clock that is an hour off neither keeps its messages for ever nor loses them at once`() throws {
        for skew: Int64 in [-3_600_000, 3_600_000] {
            var ring = MessageRing(capacity: 3)
            alice.wallClock = Timestamp(milliseconds: UInt64(1_800_000_000_000 + skew))
            _ = ring.insert(try message("wrong", receivedAt: 1_800_000_000_000))
            for minute in 1...2 as ClosedRange<UInt64> {
                _ = ring.insert(try message("\(minute)", at: 1_800_000_000_000 + minute * 120_000))
            }
            #expect(ring.map(\.content).contains("wrong"))
            for minute in 3...9 as ClosedRange<UInt64> {
                _ = ring.insert(try message("\(minute)", at: 1_800_000_000_000 + minute * 120_000))
            }
            #expect(ring.map(\.content) == ["7", "8", "9"])
        }
    }

    @Test func `messages dated 299 s ahead make room for later ones`() throws {
        for isHistory in [false, true] {
            var ring = MessageRing(capacity: 10)
            let now = alice.wallClock.milliseconds
            for number in 0..<10 {
                alice.wallClock = Timestamp(milliseconds: now + 299_000)
                _ = ring.insert(try message("future \(number)", isHistory: isHistory, receivedAt: now))
            }
            for number in 1...10 as ClosedRange<UInt64> {
                _ = ring.insert(try message("\(number)", at: now + number))
            }
            #expect(ring.map(\.content) == (1...10).map(String.init))
            alice.wallClock = Timestamp(milliseconds: now)
        }
    }

    @Test func `no place is later than the message came or was asked for`() {
        let now = Timestamp(milliseconds: 1_800_000_000_000)
        let leads: [(signed: Int64, live: Int64, history: Int64)] = [
            (-400_000, -300_000, -400_000), (-1, -1, -1), (0, 0, 0), (1, 0, 0), (60_000, 0, 0),
            (60_001, 0, -239_999), (299_000, 0, -1_000), (310_000, 0, 0),
        ]
        for lead in leads {
            let times = [lead.signed, lead.live, lead.history].map {
                Timestamp(milliseconds: UInt64(Int64(now.milliseconds) + $0))
            }
            #expect(times[0].placeTime(receivedAt: now) == times[1])
            #expect(times[0].placeTime(askedAt: now) == times[2])
        }
        for time in [0, 1, .max] as [UInt64] {
            let limit = Timestamp(milliseconds: time)
            for signed in [0, 5, .max] as [UInt64] {
                #expect(Timestamp(milliseconds: signed).placeTime(receivedAt: limit) <= limit)
                #expect(Timestamp(milliseconds: signed).placeTime(askedAt: limit) <= limit)
            }
        }
    }

    @Test func `messages dated ahead and given as history later evict no message said meanwhile`() throws {
        var ring = MessageRing(capacity: 10)
        let now = alice.wallClock.milliseconds
        alice.wallClock = Timestamp(milliseconds: now + 299_000)
        let dated = try (0..<10).map { try message("future \($0)", isHistory: true, receivedAt: now + 60_000) }
        for number in 1...10 as ClosedRange<UInt64> { _ = ring.insert(try message("\(number)", at: now + number)) }
        for message in dated { _ = ring.insert(message) }
        #expect(ring.map(\.content) == (1...10).map(String.init))
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `rings agree on the kept messages, in whatever order and way they came`(seed: UInt64) throws {
        var randomness = Randomness.seeded(seed)
        let times = (0..<150).map { _ in UInt64.random(in: 0...100, using: &randomness) }
        let payloads = times.map { time in
            alice.wallClock = Timestamp(milliseconds: 1_700_000_000_000 + time)
            return alice.signPublic("")
        }
        let kept = Set(payloads.map(\.payload).sorted { $0.signedOrder < $1.signedOrder }.suffix(100).map(\.messageId))
        for isHistory in [true, false] {
            var ring = MessageRing()
            for payload in payloads.shuffled(using: &randomness) {
                let isPast = isHistory && Bool.random(using: &randomness)
                let message = Message(
                    from: payload, knownStage: .newcomer, receivedAt: payload.payload.timestamp,
                    askedAt: isPast ? payload.payload.timestamp : nil)
                _ = ring.insert(try #require(message))
            }
            #expect(Set(ring.map(\.id)) == kept)
            let past = ring.filter(\.isHistory).map(\.signedOrder)
            #expect(past == past.sorted())
            #expect(ring.allSatisfy { ring[id: $0.id] == $0 })
        }
    }

    @Test(arguments: 1...10 as ClosedRange<UInt64>)
    func `after random operations the ring shows the same as a plain list`(seed: UInt64) throws {
        var randomness = Randomness.seeded(seed)
        var ring = MessageRing(capacity: 7)
        var list: [Message] = []
        for step in 0..<400 {
            if let victim = list.randomElement(using: &randomness), Int.random(in: 0..<4, using: &randomness) == 0 {
                ring.delete(victim.id)
                list.removeAll { $0.id == victim.id }
            } else {
                let time = UInt64.random(in: 0...50, using: &randomness) + UInt64(step)
                let new = try message("\(step)", at: 5_000 + time, isHistory: Bool.random(using: &randomness))
                _ = ring.insert(new)
                list.insert(new, at: list.firstIndex { isShown(new, before: $0) } ?? list.count)
                let lowest = list.min { $0.place < $1.place }
                if list.count > 7 { list.removeAll { $0.id == lowest?.id } }
            }
            #expect(Array(ring) == list)
            #expect(list.allSatisfy { ring[id: $0.id] == $0 })
            #expect(ring.lowest == list.map(\.place).min())
        }
    }

    @Test(arguments: [0, 20, 200])
    func `of a list, short or long, the ids are absent that no message has`(others: UInt64) throws {
        let ring = try filled(5)
        let held = ring.map { $0.id.prefix }
        let absent = (0..<others).map { 1_000 + $0 }
        #expect(ring.absent(of: held + absent) == absent)
        #expect(ring.absent(of: absent + held + absent) == absent + absent)
    }

    private func isShown(_ new: Message, before other: Message) -> Bool {
        new.isHistory && (!other.isHistory || new.signedOrder < other.signedOrder)
    }

    @Test func `a message received both live and as history is one message`() throws {
        var ring = MessageRing()
        let payload = alice.signPublic("once")
        let time = Timestamp(milliseconds: 0)
        let live = try #require(Message(from: payload, knownStage: .newcomer, receivedAt: time, askedAt: nil))
        let old = try #require(Message(from: payload, knownStage: .newcomer, receivedAt: time, askedAt: time))
        _ = ring.insert(live)
        let placement = ring.insert(old)
        #expect(placement == .duplicate)
        #expect(Array(ring) == [live])
    }

    @Test func `a ring for one message keeps the last one`() throws {
        var ring = try filled(3, capacity: 1)
        #expect(ring.map(\.content) == ["2"])
        ring.delete(ring[0].id)
        #expect(ring.isEmpty)
        _ = ring.insert(try message("3"))
        #expect(ring.map(\.content) == ["3"])
    }
}

extension MessageRing.Placement {
    fileprivate var evicted: MessageID? {
        if case .kept(let evicted?) = self { evicted.id } else { nil }
    }
}
