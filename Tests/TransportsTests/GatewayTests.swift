import Testing
import Transports

/// The kernel's tables of routes.
@Suite struct GatewayTests {
    @Test func `gateways are those of all IPv4 routes that have one`() {
        let text = """
            Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT
            eth0\t00000000\t0101A8C0\t0003\t0\t0\t100\t00000000\t0\t0\t0
            eth0\t0001A8C0\t00000000\t0001\t0\t0\t100\t00FFFFFF\t0\t0\t0
            eth1\t0000000A\tFE00000A\t0003\t0\t0\t100\t000000FF\t0\t0\t0
            torn
            """
        // As on a machine with the least significant byte first, which all supported ones are.
        #expect(Gateways.inIPv4Table(text) == [[192, 168, 1, 1], [10, 0, 0, 254]])
    }

    @Test func `and of all IPv6 routes that have one`() {
        let none = String(repeating: "0", count: 32)
        let router = "fe800000000000000000000000000001"
        let text = """
            \(none) 00 \(none) 00 \(router) 00000400 00000001 00000000 00000003     eth0
            fe800000000000000000000000000000 40 \(none) 00 \(none) 00000100 00000001 00000000 00000001     eth0
            torn
            """
        #expect(Gateways.inIPv6Table(text) == [[0xfe, 0x80] + [UInt8](repeating: 0, count: 13) + [1]])
    }
}
