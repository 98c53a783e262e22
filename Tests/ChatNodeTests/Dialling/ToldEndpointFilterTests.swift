import ChatNode
import Testing
import Wire

@Suite struct ToldEndpointFilterTests {
    private static let zeros = [UInt8](repeating: 0, count: 16)

    private static func six(_ first: [UInt8], _ last: [UInt8] = [1]) -> [UInt8] {
        first + zeros.prefix(16 - first.count - last.count) + last
    }

    private static let own: [[UInt8]] = [
        [192, 0, 2, 7], six([0xfe, 0x80], [7]), six([0x20, 1, 0xd, 0xb8], [7]), [10, 0, 0, 7], [127, 0, 0, 1],
    ]

    /// The routers that the machine's routes lead through.
    private static let gateways: [[UInt8]] = [[192, 0, 2, 1], six([0xfe, 0x80], [0xee])]

    private func allows(
        _ address: [UInt8], port: UInt16 = 40_000, scope: UInt32 = 0, within: Bool = false, loopback: Bool = false
    ) -> Bool {
        let network = LinkNetwork(
            subnets: [
                Subnet([192, 0, 2, 7], prefixLength: 24), Subnet(Self.six([0xfe, 0x80], [7]), prefixLength: 64),
                Subnet(Self.six([0x20, 1, 0xd, 0xb8], [7]), prefixLength: 64),
            ], ownAddresses: Set(Self.own), gateways: Set(Self.gateways), scope: 3)
        return ToldEndpointFilter(network: network, isWithinMachine: within, allowsLoopback: loopback)
            .allows(Endpoint(address: address, port: port, scope: scope))
    }

    @Test func `neighbours in the subnets of the link's interface may be dialled`() {
        #expect(allows([192, 0, 2, 8]) && allows([192, 0, 2, 254], port: 1_024))
        #expect(allows(Self.six([0x20, 1, 0xd, 0xb8], [8])) && allows(Self.six([0xfe, 0x80], [8]), scope: 3))
    }

    @Test func `no port below 1024 may`() {
        #expect(!allows([192, 0, 2, 8], port: 1_023) && !allows([192, 0, 2, 8], port: 22))
    }

    @Test(arguments: own) func `no address of this machine may`(address: [UInt8]) {
        #expect(!allows(address, scope: 3) && !allows(address))
    }

    @Test(arguments: gateways) func `no router may`(address: [UInt8]) {
        #expect(!allows(address, scope: 3) && !allows(address))
    }

    /// A subnet that has the address does not help, as that of a tunnel or of a machine in a cloud.
    @Test(arguments: [
        [0, 0, 0, 1], [127, 0, 0, 1], [169, 254, 169, 254], [169, 254, 169, 123], [169, 254, 170, 2],
        [100, 100, 100, 200],
        [224, 0, 0, 251], [240, 0, 0, 1], [255, 255, 255, 255], zeros, six([]), six([], [127, 0, 0, 1]),
        six([], [0xff, 0xff, 127, 0, 0, 1]), six([], [0xff, 0xff, 0, 0, 127, 0, 0, 1]),
        six([0, 0x64, 0xff, 0x9b], [127, 0, 0, 1]), six([0, 0x64, 0xff, 0x9b, 0, 1], [10, 0, 0, 8]),
        six([0x20, 2, 127, 0, 0, 1]), six([0x20, 2, 10, 0, 0, 8]), six([0x20, 1, 0, 0, 10, 0, 0, 8], [7]),
        six([0x20, 1, 0xd, 0xb8], [0, 0, 0x5e, 0xfe, 127, 0, 0, 1]),
        six([0xfe, 0x80], [2, 0, 0x5e, 0xfe, 10, 0, 0, 8]),
        six([0xfd, 0, 0xe, 0xc2], [2, 0x54]), six([0xff, 2], [0xfb]),
    ])
    func `no address of a service, a tunnel or many hosts may, in whatever subnet`(address: [UInt8]) {
        let around = Subnet(address.dropLast() + [address.last == 9 ? 10 : 9], prefixLength: address.count * 8 - 8)
        let network = LinkNetwork(subnets: [around], ownAddresses: [around.address], scope: 3)
        let filter = ToldEndpointFilter(network: network, isWithinMachine: false, allowsLoopback: true)
        #expect(!filter.allows(Endpoint(address: address, port: 40_000, scope: 3)))
        let neighbour = ToldEndpointFilter(
            network: LinkNetwork(
                subnets: [Subnet([169, 254, 8, 9], prefixLength: 16)], ownAddresses: [[169, 254, 8, 9]], scope: 3),
            isWithinMachine: false, allowsLoopback: false)
        #expect(neighbour.allows(Endpoint(address: [169, 254, 8, 8], port: 40_000)))
    }

    @Test func `an address of all routers may not, nor the broadcast of a smaller subnet in a larger one`() {
        let network = LinkNetwork(
            subnets: [Subnet([10, 0, 0, 7], prefixLength: 8), Subnet([10, 0, 0, 7], prefixLength: 24)],
            ownAddresses: [[10, 0, 0, 7]], scope: 3)
        let filter = ToldEndpointFilter(network: network, isWithinMachine: false, allowsLoopback: false)
        func allowed(_ address: [UInt8]) -> Bool { filter.allows(Endpoint(address: address, port: 40_000)) }
        #expect(!allowed([10, 0, 0, 255]) && !allowed([10, 0, 0, 0]) && !allowed([10, 255, 255, 255]))
        #expect(allowed([10, 0, 0, 8]) && allowed([10, 0, 1, 255]))
        #expect(!allows(Self.six([0x20, 1, 0xd, 0xb8], [0])) && !allows(Self.six([0xfe, 0x80], [0]), scope: 3))
    }

    @Test(arguments: [
        [8, 8, 8, 8], [10, 0, 0, 8], [192, 0, 3, 8], [169, 254, 169, 254], [0, 0, 0, 0], [224, 0, 0, 251],
        [192, 0, 2, 0], [192, 0, 2, 255], [255, 255, 255, 255],
        six([0x20, 2, 192, 0, 2, 8]), six([0, 0x64, 0xff, 0x9b], [192, 0, 2, 8]), six([], [127, 0, 0, 1]), six([]),
        six([0x20, 1, 0xd, 0xb8, 0, 0, 0, 1], [8]), six([0xff, 2], [0xfb]), zeros,
        six([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff], [127, 0, 0, 1]),
    ])
    func `no address off the link may, nor one of many hosts`(address: [UInt8]) {
        #expect(!allows(address, scope: 3))
    }

    @Test func `a link-local address belongs to the interface of the link`() {
        #expect(!allows(Self.six([0xfe, 0x80], [8]), scope: 4) && !allows(Self.six([0xfe, 0x80], [8])))
    }

    @Test func `loopback may be dialled within this machine, if the user named such a peer`() {
        let here: [UInt8] = [127, 0, 0, 1]
        #expect(allows(here, within: true, loopback: true) && allows(Self.six([]), within: true, loopback: true))
        #expect(!allows(here, within: true) && !allows(here, loopback: true))
        #expect(!allows(here, port: 22, within: true, loopback: true))
        #expect(!allows([192, 0, 2, 8], within: true, loopback: true))
    }

    @Test func `without a known network nothing may be dialled`() {
        let filter = ToldEndpointFilter(network: nil, isWithinMachine: false, allowsLoopback: true)
        #expect(!filter.allows(Endpoint(address: [192, 0, 2, 8], port: 40_000)))
    }
}
