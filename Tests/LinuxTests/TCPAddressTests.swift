import ChatNode
import Testing
@testable import Transports

@Suite struct TCPAddressTests {
    private static let linkLocal: [UInt8] = [0xfe, 0x80] + [UInt8](repeating: 0, count: 13) + [1]

    @Test(arguments: [
        (Endpoint(address: [192, 0, 2, 1], port: 4_000), "192.0.2.1:4000"),
        (Endpoint(address: linkLocal, port: 4_000, scope: 3), "[fe80::1%3]:4000"),
        (Endpoint.ipv6Loopback(65_535), "[::1]:65535"),
        (Endpoint.ipv4Loopback(1), "127.0.0.1:1"),
    ])
    func `endpoints are written and read back`(endpoint: Endpoint, text: String) {
        #expect(endpoint.text == text)
        #expect(Endpoint(text: text) == endpoint)
        #expect(SocketAddress(endpoint).endpoint == endpoint)
    }

    @Test func `an interface may be named, and a mapped address is an IPv4 one`() {
        #expect(Endpoint(text: "[fe80::1%lo]:4000")?.scope == 1)
        #expect(Endpoint(text: "[::ffff:192.0.2.1]:4000") == Endpoint(address: [192, 0, 2, 1], port: 4_000))
    }

    @Test(arguments: [
        "", ":", "1.2.3.4", "1.2.3.4:", ":4000", "1.2.3.4:0", "1.2.3.4:65536", "1.2.3.4:-1", "1.2.3.4:+1", "1.2.3:4000",
        "1.2.3.256:4000", "::1:4000", "[::1]", "[::1:4000", "::1]:4000", "[]:4000", "[%]:4000", "[::1%]:4000",
        "[::1%1]:4000", "[fe80::1%0]:4000", "[fe80::1%nosuch0]:4000", "[1.2.3.4]:4000", "host:4000", "1.2.3.4:４",
    ])
    func `what is no numeric endpoint is refused`(text: String) {
        #expect(Endpoint(text: text) == nil)
    }

    @Test func `host names are resolved, numeric ones without asking`() throws {
        #expect(try HostName.resolve("192.0.2.1:4000") == [Endpoint(address: [192, 0, 2, 1], port: 4_000)])
        let loopback = try HostName.resolve("localhost:4000")
        #expect(!loopback.isEmpty)
        #expect(loopback.allSatisfy { $0.isLoopback && $0.port == 4_000 })
        #expect(Set(loopback).count == loopback.count)
    }

    @Test(arguments: ["localhost", "localhost:0", "localhost:70000", ":4000", "..:4000"])
    func `what is no host with a port is refused in words`(text: String) {
        let error = #expect(throws: ResolutionError.self) { try HostName.resolve(text) }
        #expect(error?.reason.isEmpty == false)
    }
}
