import Noise
import Testing
import Wire

@testable import ChatNode
@testable import Discovery

private let subtype = "_r25bb455c"

private func at(_ seconds: Double) -> Instant { Instant(nanoseconds: Int64(seconds * 1e9)) }

/// The records and questions of a node as its room becomes a crowd and shrinks again.
@Suite struct RoomCrowdTests {
    private var randomness = Randomness.seeded(5)
    private var crowd = RoomCrowd(now: at(0))

    private mutating func change(_ isOverlay: Bool, _ known: Int, at seconds: Double) -> [RoomCrowd.Action] {
        crowd.crowdChanged(Crowd(isOverlay: isOverlay, known: known), now: at(seconds), using: &randomness)
    }

    private mutating func due(at seconds: Double) -> [RoomCrowd.Action] {
        crowd.due(of: subtype, now: at(seconds), using: &randomness)
    }

    @Test mutating func `in a room of up to 32 nothing is ever due, however long`() {
        for known in 0...32 {
            #expect(change(false, known, at: Double(known)) == [])
            _ = crowd.heard(instances: known, now: at(Double(known)), using: &randomness)
            #expect(crowd.nextDue == nil && due(at: 1e6) == [])
        }
        #expect(crowd.isListed && !crowd.hasBuckets)
    }

    @Test mutating func `a node of a crowd has buckets at once, and is listed until its start was heard`() {
        // Of so many, it is no beacon.
        #expect(change(true, 100_000, at: 0.5) == [.publish])
        #expect(crowd.isListed && crowd.hasBuckets)
        var asked = 0
        while let next = crowd.nextDue, next < at(2) {
            for action in crowd.due(of: subtype, now: next, using: &randomness) {
                if case .ask(let subtypes) = action { asked += subtypes.count } else { Issue.record("\(action)") }
            }
        }
        #expect(asked == 6)
        #expect(crowd.nextDue == at(2))
        #expect(due(at: 2) == [.publish])
        #expect(!crowd.isListed)
        // None answers, so it asks again.
        while let next = crowd.nextDue, next < at(30) {
            for action in crowd.due(of: subtype, now: next, using: &randomness) {
                if case .ask(let subtypes) = action { asked += subtypes.count } else { Issue.record("\(action)") }
            }
        }
        #expect(asked == 10)
        // It announces itself in its turn, and nothing else is due until it draws anew.
        #expect(crowd.nextDue.map { $0 > at(3_000) } == true)
    }

    @Test mutating func `a beacon stays listed, a node that is none is listed again where the room has shrunk`() {
        _ = change(true, 32, at: 5)
        #expect(crowd.isListed)
        #expect(change(true, 100_000, at: 6) == [.publish])
        #expect(!crowd.isListed)
        #expect(change(true, 32, at: 7) == [.publish])
        #expect(crowd.isListed)
        _ = change(true, 100_000, at: 8)
        #expect(change(false, 20, at: 9) == [.publish])
        #expect(crowd.isListed && !crowd.hasBuckets && crowd.nextDue == nil)
    }

    @Test mutating func `new names are listed for a while, and buckets are asked again`() {
        _ = change(true, 100_000, at: 5)
        while let next = crowd.nextDue, next < at(10) { _ = crowd.due(of: subtype, now: next, using: &randomness) }
        #expect(!crowd.isListed)
        crowd.renamed(now: at(20), using: &randomness)
        #expect(crowd.isListed && crowd.nextDue.map { $0 <= at(20.1) } == true)
        guard case .ask = due(at: 20.1).first else {
            Issue.record("nothing is asked")
            return
        }
        _ = due(at: 22)
        #expect(!crowd.isListed)
    }

    @Test mutating func `in the census a node announces itself`() {
        _ = change(true, 100, at: 5)
        let all = (6..<100).flatMap { due(at: Double($0)) }
        #expect(all.contains(.announce))
    }

    @Test mutating func `more than 32 instances are a reason to ask before the node knows its room`() {
        _ = crowd.heard(instances: 33, now: at(0.2), using: &randomness)
        _ = crowd.heard(instances: 34, now: at(0.3), using: &randomness)
        guard case .ask(let subtypes) = due(at: 0.3).first else {
            Issue.record("nothing is asked")
            return
        }
        #expect(subtypes.count == 2)
        #expect(crowd.isListed && !crowd.hasBuckets)
    }

    @Test mutating func `with more than 16 instances the census is heard, and tells that the room is a crowd`() {
        #expect(!crowd.heard(instances: 16, now: at(0), using: &randomness) && !crowd.hearsCensus)
        #expect(crowd.heard(instances: 17, now: at(1), using: &randomness) && crowd.hearsCensus)
        #expect(!crowd.heard(instances: 18, now: at(2), using: &randomness) && crowd.nextDue == nil)
        crowd.heardCensus(now: at(3), using: &randomness)
        #expect(crowd.nextDue.map { $0 <= at(3.1) } == true)
    }

    @Test mutating func `records of buckets are of each family alone, and silent`() {
        let announcement = Announcement(
            instance: "abcdefghijklmnopqrstuvwxyz", host: "bcdefghijklmnopqrstuvwxyza", port: 7, subtype: subtype)
        let addresses: [[UInt8]] = [[10, 77, 0, 2], [0xfd] + [UInt8](repeating: 1, count: 15)]
        let before = MDNSRecords.records(for: announcement, addresses: addresses, in: crowd)
        #expect(before == MDNSRecords.records(for: announcement, addresses: addresses))
        _ = change(true, 100_000, at: 0)
        let started = MDNSRecords.records(for: announcement, addresses: addresses, in: crowd)
        #expect(started.starts(with: before) && started.count == before.count + 4)
        let buckets = started.filter { $0.group == .buckets }
        #expect(buckets.map(\.bucketFamily) == [.ipv4, .ipv4, .ipv6, .ipv6])
        #expect(buckets.allSatisfy { $0.timeToLive == 120 && !$0.isUnique })
        _ = due(at: 2)
        let later = MDNSRecords.records(for: announcement, addresses: addresses, in: crowd)
        #expect(later == Array(started.dropFirst()))
    }

    @Test mutating func `only what has changed is published and withdrawn`() {
        let announcement = Announcement(
            instance: "abcdefghijklmnopqrstuvwxyz", host: "bcdefghijklmnopqrstuvwxyza", port: 7, subtype: subtype)
        let before = MDNSRecords.records(for: announcement, addresses: [[10, 77, 0, 2]])
        let context = RoomContext(0, in: ResponderContext(source: .embedded, epoch: 1) { _, _, _ in })
        var objects = RoomObjects(context)
        #expect(objects.missing(of: [2: before]).map(\.key.group) == [.service, .room])
        for (key, records) in objects.missing(of: [2: before]) {
            guard let pointer = unsafe OpaquePointer(bitPattern: 8 + key.group.rawValue) else { return }
            unsafe objects.add(pointer, with: records, as: key)
        }
        #expect(objects.removeGroups(except: [2: before]).isEmpty && objects.missing(of: [2: before]).isEmpty)
        _ = change(true, 100_000, at: 3)
        let after = MDNSRecords.records(for: announcement, addresses: [[10, 77, 0, 2]], in: crowd)
        #expect(objects.removeGroups(except: [2: after]).map { $0.records.map(\.group) } == [[.room]])
        #expect(objects.missing(of: [2: after]).map(\.key.group) == [.buckets])
        #expect(objects.removeGroups().map { $0.records.count } == [before.count - 1])
    }
}
