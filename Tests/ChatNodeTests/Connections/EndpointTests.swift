import ChatNode
import Testing

struct EndpointTests {
    static let zeros = [UInt8](repeating: 0, count: 10)

    @Test func `an IPv4 address mapped into IPv6 is the IPv4 address`() {
        let mapped = Endpoint(address: EndpointTests.zeros + [0xff, 0xff, 192, 0, 2, 7], port: 80, scope: 3)
        #expect(mapped == Endpoint(address: [192, 0, 2, 7], port: 80))
        #expect(mapped.isIPv4)
        #expect(mapped.scope == 0)
        #expect(!Endpoint(address: EndpointTests.zeros + [0xff, 0xfe, 192, 0, 2, 7], port: 80).isIPv4)
    }

    @Test func `a source is an address with its scope, and an IPv6 network is its first 64 bits`() {
        let prefix: [UInt8] = [0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 1]
        let one = Endpoint(address: prefix + [0, 0, 0, 0, 0, 0, 0, 1], port: 1)
        let two = Endpoint(address: prefix + [9, 9, 9, 9, 9, 9, 9, 9], port: 2)
        #expect(one.source != two.source && one.network == two.network)
        #expect(one.source == Endpoint(address: one.address, port: 9).source)
        let linkLocal = [0xfe, 0x80] + [UInt8](repeating: 1, count: 14)
        let here = Endpoint(address: linkLocal, port: 1, scope: 1)
        let there = Endpoint(address: linkLocal, port: 1, scope: 2)
        #expect(here.source != there.source && here.network != there.network)
        let four = Endpoint(address: [192, 0, 2, 7], port: 1)
        #expect(four.source == Endpoint(address: [192, 0, 2, 7], port: 2).source && four.network == nil)
    }

    @Test func `loopback and link-local addresses are known`() {
        #expect(Endpoint(address: [127, 3, 2, 1], port: 1).isLoopback)
        #expect(!Endpoint(address: [128, 0, 0, 1], port: 1).isLoopback)
        #expect(Endpoint(address: EndpointTests.zeros + [0, 0, 0, 0, 0, 1], port: 1).isLoopback)
        #expect(Endpoint(address: EndpointTests.zeros + [0xff, 0xff, 127, 0, 0, 1], port: 1).isLoopback)
        let linkLocal = Endpoint(address: [0xfe, 0x80] + [UInt8](repeating: 1, count: 14), port: 1, scope: 2)
        #expect(linkLocal.isLinkLocalIPv6 && linkLocal.scope == 2)
        #expect(!Endpoint(address: [0xfe, 0xc0] + [UInt8](repeating: 1, count: 14), port: 1).isLinkLocalIPv6)
        #expect(!Endpoint(address: [0xfe, 0x80, 0, 1], port: 1).isLinkLocalIPv6)
    }
}
