import Noise
import Testing
import Wire

@testable import ChatNode
@testable import Discovery

private let subtype = "_r25bb455c"
private let instance = "abcdefghijklmnopqrstuvwxyz"
private let endpoint = Endpoint(address: [10, 0, 0, 1], port: 7)

private func at(_ seconds: Double) -> Instant { Instant(nanoseconds: Int64(seconds * 1e9)) }

private func listing(_ name: String = instance, _ family: Family = .ipv4) -> Listing {
    Listing(source: .embedded, instance: name, interface: 2, family: family)
}

/// Names of instances, of which none is another.
private func name(_ number: Int) -> String {
    let digits = String(number).map { String(UnicodeScalar(UInt8(97 + Int($0.wholeNumberValue ?? 0)))) }.joined()
    return digits + String(repeating: "z", count: RandomNames.length - digits.count)
}

/// The packets of a crowd that a node uses.
@Suite struct CrowdHearingTests {
    private var table = InstanceTable()

    private static let announcement = Announcement(
        instance: instance, host: "bcdefghijklmnopqrstuvwxyza", port: 7, subtype: subtype)

    private static func packet(under room: String, address: [UInt8], seconds: UInt32 = 120) -> [UInt8] {
        let records = MDNSRecords.records(for: announcement, addresses: [address]).map { record in
            MDNSMessage.record(
                of: record.group == .room ? MDNSName.subtype(room).wire : record.name.wire, record.kind,
                seconds: seconds, data: record.rdata)
        }
        return [0, 0, 0x84, 0, 0, 0, 0, UInt8(records.count), 0, 0, 0, 0] + records.joined()
    }

    private static func heard(_ packet: [UInt8], from sender: [UInt8]) -> [String] {
        HeardInstance.ofBucket(in: packet[...], from: sender, of: subtype).map(\.instance)
    }

    @Test(arguments: [true, false]) func `an instance in its address's bucket, at the packet's sender, is heard`(
        isWide: Bool
    ) {
        let address: [UInt8] = [10, 0, 0, 1]
        let bucket = AddressBucket(of: address, in: subtype)
        let under = isWide ? bucket.wideSubtype(of: subtype) : bucket.narrowSubtype(of: subtype)
        #expect(Self.heard(Self.packet(under: under, address: address), from: address) == [instance])
        // Not from elsewhere, nor under the room itself, another room or another bucket, nor as a goodbye.
        #expect(Self.heard(Self.packet(under: under, address: address), from: [10, 0, 0, 2]) == [])
        #expect(Self.heard(Self.packet(under: under, address: [10, 0, 0, 3]), from: address) == [])
        #expect(Self.heard(Self.packet(under: subtype, address: address), from: address) == [])
        let foreign = under.replacing("_r25bb455c", with: "_r25bb455d")
        #expect(Self.heard(Self.packet(under: foreign, address: address), from: address) == [])
        #expect(Self.heard(Self.packet(under: under, address: address, seconds: 0), from: address) == [])
    }

    @Test func `of all 256 buckets only its own counts for an address`() {
        let address: [UInt8] = [10, 0, 0, 1]
        let found = (0...255).filter { byte in
            let under = AddressBucket(UInt8(byte)).narrowSubtype(of: subtype)
            return Self.heard(Self.packet(under: under, address: address), from: address) == [instance]
        }
        #expect(found == [Int(AddressBucket(of: address, in: subtype).byte)])
    }

    @Test func `a withdrawn service is a goodbye, a withdrawn pointer is none`() {
        let goodbye = Self.packet(under: subtype, address: [10, 0, 0, 1], seconds: 0)
        #expect(WithdrawnInstances.all(in: goodbye[...]) == [instance])
        #expect(WithdrawnInstances.all(in: Self.packet(under: subtype, address: [10, 0, 0, 1])[...]) == [])
        let pointer = MDNSMessage.record(
            of: MDNSName.subtype(subtype).wire, .ptr, seconds: 0, data: MDNSName.instance(instance).wire)
        #expect(WithdrawnInstances.all(in: ([0, 0, 0x84, 0, 0, 0, 0, 1, 0, 0, 0, 0] + pointer)[...]) == [])
        for owner in [MDNSName(["x", "_earshot", "_tcp"]), MDNSName([instance, "_http", "_tcp"]), MDNSName([])] {
            let record = MDNSMessage.record(of: owner.wire, .srv, seconds: 0, data: [0, 0, 0, 0, 0, 7, 0])
            #expect(WithdrawnInstances.all(in: ([0, 0, 0x84, 0, 0, 0, 0, 1, 0, 0, 0, 0] + record)[...]) == [])
        }
        // A question withdraws nothing, nor does a packet that is cut off.
        #expect(WithdrawnInstances.all(in: ([0, 0, 0, 0] + goodbye[4...])[...]) == [])
        let service = goodbye.count - 10 - MDNSName(["bcdefghijklmnopqrstuvwxyza"]).wire.count - 4
        for count in 0..<service / 2 { #expect(WithdrawnInstances.all(in: goodbye[..<count]) == []) }
    }

    @Test mutating func `in a crowd a heard instance is kept for twenty minutes, and longer if it is heard again`() {
        _ = table.crowdChanged(isCrowd: true, now: at(0))
        _ = table.heard(listing(), endpoint, weight: 1, now: at(0))
        #expect(table.due(now: at(1_199)) == [])
        _ = table.heard(listing(), endpoint, weight: 1, now: at(1_199))
        // A packet from elsewhere does not prolong it.
        _ = table.heard(listing(), endpoint, now: at(2_000))
        #expect(table.due(now: at(2_398)) == [])
        #expect(table.due(now: at(2_399)) == [.tell(.lost(instance: instance))])
    }

    @Test mutating func `a node of a crowd that is listed no more stays, until it leaves by a packet of its own`() {
        _ = table.crowdChanged(isCrowd: true, now: at(0))
        _ = table.heard(listing(), endpoint, weight: 1, now: at(0))
        #expect(table.listed(listing(), now: at(0)) == [])
        #expect(table.unlisted(listing(), now: at(1)) == [])
        table.withdrawn(instance, by: [10, 0, 0, 9], now: at(2))
        #expect(table.due(now: at(100)) == [])
        table.withdrawn(instance, by: [10, 0, 0, 1], now: at(100))
        // It only changed its responder.
        _ = table.heard(listing(), endpoint, weight: 1, now: at(100.5))
        #expect(table.due(now: at(102)) == [])
        table.withdrawn(instance, by: [10, 0, 0, 1], now: at(110))
        #expect(table.due(now: at(110.9)) == [])
        #expect(table.due(now: at(111)) == [.tell(.lost(instance: instance))])
    }

    @Test mutating func `in a room that is no crowd nothing of this holds`() {
        _ = table.heard(listing(), endpoint, weight: 1, now: at(0))
        _ = table.listed(listing(), now: at(0))
        table.withdrawn(instance, by: [10, 0, 0, 1], now: at(1))
        #expect(table.due(now: at(100)) == [] && table.networkLeft(now: at(100)) == [])
        #expect(table.unlisted(listing(), now: at(101)) == [.tell(.lost(instance: instance))])
    }

    @Test mutating func `an instance without an endpoint does not stay when it is unlisted`() {
        _ = table.crowdChanged(isCrowd: true, now: at(0))
        _ = table.listed(listing(), now: at(0))
        _ = table.unlisted(listing(), now: at(0.1))
        #expect(table.instanceCount == 0)
    }

    @Test mutating func `on another network what was heard of a crowd is forgotten`() {
        _ = table.crowdChanged(isCrowd: true, now: at(0))
        let other = name(1)
        _ = table.heard(listing(), endpoint, weight: 1, now: at(0))
        _ = table.heard(listing(other), endpoint, weight: 1, now: at(0))
        _ = table.listed(listing(other), now: at(0))
        #expect(table.networkLeft(now: at(50)) == [.tell(.lost(instance: instance))])
        #expect(table.unlisted(listing(other), now: at(50.1)) == [.tell(.lost(instance: other))])
        #expect(table.instanceCount == 0)
        // An instance that is heard there stays.
        _ = table.heard(listing(), endpoint, weight: 1, now: at(51))
        #expect(table.due(now: at(1_000)) == [])
    }

    @Test mutating func `a crowd's table holds all that announce themselves in twenty minutes, and no more than 4,096`()
    {
        _ = table.crowdChanged(isCrowd: true, now: at(0))
        for number in 0..<5_000 { _ = table.heard(listing(name(number)), endpoint, weight: 1, now: at(1)) }
        #expect(table.instanceCount == 4_096 && table.dropped == 5_000 - 4_096)
        #expect(Double(table.instanceCount) > Limits.censusPerSecond * (Limits.crowdMemory / .seconds(1)))
    }

    @Test mutating func `the table of a crowd that ends keeps the 1,024 that came last`() {
        _ = table.crowdChanged(isCrowd: true, now: at(0))
        for number in 0..<2_000 { _ = table.heard(listing(name(number)), endpoint, weight: 1, now: at(1)) }
        let lost = table.crowdChanged(isCrowd: false, now: at(2))
        #expect(lost == (0..<2_000 - 1_024).map { .tell(.lost(instance: name($0))) })
        #expect(table.instanceCount == 1_024 && table.dropped == 2_000 - 1_024)
        _ = table.heard(listing(name(2_000)), endpoint, weight: 1, now: at(3))
        #expect(table.instanceCount == 1_024)
    }

    @Test mutating func `the record of a node that is no beacon any more ends a listing only in a small room`() {
        for isCrowd in [true, false] {
            table = InstanceTable()
            _ = table.crowdChanged(isCrowd: isCrowd, now: at(0))
            _ = table.heard(listing(), endpoint, weight: 1, now: at(0))
            _ = table.listed(listing(), now: at(0))
            let lost = ListingAction.tell(.lost(instance: instance))
            #expect(table.unlisted(listing(), now: at(1)) == (isCrowd ? [] : [lost]))
        }
    }

    @Test func `a census announcement is a bucket's, from the very address, and a beacon's is the room's`() {
        var randomness = Randomness.seeded(1)
        let address = InterfaceAddress(bytes: [10, 0, 0, 1], prefixLength: 24)
        let second = InterfaceAddress(bytes: [0xfd] + [UInt8](repeating: 1, count: 15), prefixLength: 64)
        let local = InterfaceAddress(bytes: [0xfe, 0x80] + [UInt8](repeating: 2, count: 14), prefixLength: 64)
        let card = NetworkInterface(index: 2, name: "card", addresses: [local, address, second])
        let view = NetworkView(interfaces: [card])
        var crowd = RoomCrowd(now: at(0))
        func packets() -> [FirstAnnouncement.Packet] {
            let records = MDNSRecords.records(for: Self.announcement, addresses: card.publishableAddresses, in: crowd)
            var announcement = FirstAnnouncement()
            return announcement.packets(of: [2: records], in: view, now: at(5))
        }
        let name = BrowsedName(subtype: subtype)
        #expect(packets().count == 2)
        #expect(packets().allSatisfy { !HeardInstance.all(in: $0.bytes[...], from: $0.source, of: name).isEmpty })
        _ = crowd.crowdChanged(Crowd(isOverlay: true, known: 100_000), now: at(5), using: &randomness)
        let census = packets()
        #expect(census.map(\.source) == [address.bytes, local.bytes])
        #expect(census.allSatisfy { HeardInstance.all(in: $0.bytes[...], from: $0.source, of: name).isEmpty })
        #expect(census.allSatisfy { Self.heard($0.bytes, from: $0.source) == [instance] })
    }
}
