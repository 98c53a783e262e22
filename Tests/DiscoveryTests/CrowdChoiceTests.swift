import Noise
import Testing
import Wire

@testable import ChatNode
@testable import Discovery

private let subtype = "_r25bb455c"

private func at(_ seconds: Double) -> Instant { Instant(nanoseconds: Int64(seconds * 1e9)) }

/// The choices of a node in a crowd: to be listed, to ask buckets, and to announce itself.
@Suite struct CrowdChoiceTests {
    private var randomness = Randomness.seeded(24)

    private func address(_ number: Int) -> [UInt8] { [10, 77, UInt8(number >> 8), UInt8(number & 255)] }

    /// The members of a room of so many that answer to these subtypes.
    private func members(_ count: Int, of subtypes: [String]) -> [[UInt8]] {
        (0..<count).map(address).filter { address in
            let bucket = AddressBucket(of: address, in: subtype)
            return subtypes.contains(bucket.wideSubtype(of: subtype))
                || subtypes.contains(bucket.narrowSubtype(of: subtype))
        }
    }

    @Test func `the bucket of an address is the first byte of a hash of room and address`() {
        let bucket = AddressBucket(of: [10, 77, 0, 2], in: subtype)
        #expect(bucket == AddressBucket(0xad))
        #expect(bucket.wideSubtype(of: subtype) == "_r25bb455c-a")
        #expect(bucket.narrowSubtype(of: subtype) == "_r25bb455c-ad")
        let linkLocal: [UInt8] = [0xfe, 0x80] + [UInt8](repeating: 0, count: 13) + [1]
        #expect(AddressBucket(of: linkLocal, in: subtype) == AddressBucket(0x37))
        #expect(AddressBucket(7).narrowSubtype(of: "_r") == "_r-07")
        #expect(AddressBucket(0x1f).isNear(AddressBucket(0x10)) && !AddressBucket(0x1f).isNear(AddressBucket(0x20)))
    }

    @Test(arguments: [33, 100, 1_000, 10_000])
    mutating func `about 32 nodes of a crowd are beacons, whatever its size`(known: Int) {
        let count = (0..<known).count { _ in BeaconChoice(known: known, now: at(0), using: &randomness).isBeacon }
        #expect((17...48).contains(count), "\(count) beacons of \(known)")
    }

    @Test mutating func `beacons retire while the room grows, and return as it shrinks`() {
        var nodes = (0..<1_000).map { _ in BeaconChoice(known: 33, now: at(0), using: &randomness) }
        #expect(nodes.count(where: \.isBeacon) > 900)
        for index in nodes.indices { nodes[index].roomChanged(known: 1_000) }
        #expect((17...60).contains(nodes.count(where: \.isBeacon)))
        for index in nodes.indices { nodes[index].roomChanged(known: 32) }
        #expect(nodes.count(where: \.isBeacon) == 1_000)
    }

    @Test mutating func `a size that varies by a tenth changes no beacon, and each draws anew after about an hour`() {
        var nodes = (0..<1_000).map { _ in BeaconChoice(known: 100, now: at(0), using: &randomness) }
        for index in nodes.indices { nodes[index].roomChanged(known: 95) }
        let beacons = nodes.map(\.isBeacon)
        for known in [105, 95, 110, 95] {
            for index in nodes.indices { nodes[index].roomChanged(known: known) }
            #expect(nodes.map(\.isBeacon) == beacons)
        }
        #expect(nodes.allSatisfy { at(3_240) <= $0.nextDraw && $0.nextDraw <= at(3_960) })
        for index in nodes.indices { nodes[index].due(now: at(3_239), using: &randomness) }
        #expect(nodes.map(\.isBeacon) == beacons)
        for index in nodes.indices { nodes[index].due(now: at(3_960), using: &randomness) }
        #expect(zip(nodes, beacons).count { $0.isBeacon != $1 } > 200)
    }

    @Test(arguments: [(1_000, 125, 2), (4_000, 31, 1), (100, 12, 5)])
    mutating func `two buckets of a crowd are asked, 256ths first, and sixteenths where few answer`(
        size: Int, expected: Int, questions: Int
    ) {
        var plan = BucketPlan()
        #expect(plan.nextDue == nil && plan.due(of: subtype, now: at(9), using: &randomness) == [])
        plan.begin(now: at(0), using: &randomness)
        var found: Set<[UInt8]> = []
        var asked: [[String]] = []
        while let due = plan.nextDue, due < at(60) {
            let subtypes = plan.due(of: subtype, now: due, using: &randomness)
            if !subtypes.isEmpty { asked.append(subtypes) }
            let answers = members(size, of: subtypes)
            for member in answers where plan.takes(member, of: subtype) != nil { found.insert(member) }
        }
        #expect(asked[0].allSatisfy { $0.utf8.count == subtype.utf8.count + 3 } && asked[0].count == 2)
        #expect(asked.count == questions)
        #expect(asked.count == 1 || zip(asked[0], asked[1]).allSatisfy { $0.hasPrefix($1) && $0 != $1 })
        #expect((expected / 2...expected * 2).contains(found.count), "\(found.count) of \(size)")
        // Other buckets after an hour.
        let hour = plan.nextDue ?? at(0)
        #expect((at(3_240)...at(3_962)).contains(hour))
        #expect(plan.due(of: subtype, now: hour, using: &randomness) != asked[0])
    }

    @Test mutating func `a source of another bucket does not count, in either width`() {
        var plan = BucketPlan()
        plan.begin(now: at(0), using: &randomness)
        let narrow = plan.due(of: subtype, now: at(1), using: &randomness)
        let (inside, near) = (members(1_000, of: narrow), members(1_000, of: narrow.map { String($0.dropLast()) }))
        let outside = (0..<1_000).map(address).filter { !near.contains($0) }
        #expect(!inside.isEmpty && near.count > inside.count && outside.count > near.count)
        let counted = near.filter { plan.takes($0, of: subtype) == 128 }
        #expect(counted == inside)
        #expect(!plan.due(of: subtype, now: at(2), using: &randomness).isEmpty)
        let countedWide = (near + outside).filter { plan.takes($0, of: subtype) == 8 }
        #expect(countedWide == near)
    }

    @Test mutating func `sixteenths that few answer are asked three times more, and then an hour nothing is`() {
        var plan = BucketPlan()
        plan.begin(now: at(0), using: &randomness)
        plan.begin(now: at(0.05), using: &randomness)
        let narrow = plan.due(of: subtype, now: at(0.1), using: &randomness)
        #expect(plan.nextDue == at(0.35))
        #expect(plan.due(of: subtype, now: at(0.3), using: &randomness) == [])
        let wide = plan.due(of: subtype, now: at(0.35), using: &randomness)
        #expect(wide == narrow.map { String($0.dropLast()) })
        for time in [1.35, 5.35, 21.35] {
            #expect(plan.nextDue == at(time))
            #expect(plan.due(of: subtype, now: at(time), using: &randomness) == wide)
        }
        #expect(plan.due(of: subtype, now: at(21.6), using: &randomness) == [])
        #expect(plan.nextDue.map { $0 > at(3_000) } == true)
        plan.restart(now: at(25), using: &randomness)
        #expect(plan.nextDue.map { $0 <= at(25.1) } == true)
        plan.end()
        #expect(plan.nextDue == nil)
    }

    @Test mutating func `sixteenths are asked again until enough have answered`() {
        var plan = BucketPlan()
        plan.begin(now: at(0), using: &randomness)
        _ = plan.due(of: subtype, now: at(0.1), using: &randomness)
        let wide = plan.due(of: subtype, now: at(0.35), using: &randomness)
        // Most answers are lost.
        let answering = members(1_000, of: wide)
        #expect(answering.prefix(15).allSatisfy { plan.takes($0, of: subtype) != nil })
        #expect(plan.due(of: subtype, now: at(1.35), using: &randomness) == wide)
        #expect(answering.allSatisfy { plan.takes($0, of: subtype) != nil })
        #expect(plan.due(of: subtype, now: at(5.35), using: &randomness) == [])
        #expect(plan.nextDue.map { $0 > at(3_000) } == true)
    }

    @Test(arguments: [(100, 1.67), (1_000, 2), (10_000, 2)])
    mutating func `all nodes of a crowd together announce at most two a second`(known: Int, perSecond: Double) {
        var clocks = (0..<known).map { _ in CensusClock(known: known, now: at(0), using: &randomness) }
        var announcements = 0
        let (from, to) = (at(20_000), at(30_000))
        for index in clocks.indices {
            while clocks[index].nextDue < to {
                let due = clocks[index].nextDue
                let isDue = clocks[index].due(now: due, using: &randomness)
                announcements += isDue && due >= from ? 1 : 0
            }
        }
        let rate = Double(announcements) / 10_000
        #expect(abs(rate - perSecond) < 0.15, "\(rate) a second")
    }

    @Test mutating func `in a room that grows the next announcement is put off`() {
        var clock = CensusClock(known: 33, now: at(0), using: &randomness)
        let before = clock.nextDue
        #expect((at(30)...at(90)).contains(before))
        clock.roomChanged(known: 1_200)
        #expect(abs((clock.nextDue - at(0)) / (before - at(0)) - 10) < 1e-6)
        #expect(!clock.due(now: before, using: &randomness))
    }
}
