import ChatNode
import Reactor
import Testing

@testable import Transports

@Suite struct TCPAddressTests {
    private static let linkLocal: [UInt8] = [0xfe, 0x80] + [UInt8](repeating: 0, count: 13) + [1]

    @Test(arguments: [
        Endpoint(address: [192, 0, 2, 1], port: 4_000), Endpoint(address: linkLocal, port: 4_000, scope: 3),
        .ipv6Loopback(65_535), .ipv4Loopback(1),
    ])
    func `endpoints go to the system and come back`(endpoint: Endpoint) {
        #expect(SocketAddress(endpoint).endpoint == endpoint)
    }
}
