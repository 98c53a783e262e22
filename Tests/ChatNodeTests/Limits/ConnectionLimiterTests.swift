import Testing
import Wire

@testable import ChatNode

@Suite struct ConnectionLimiterTests {
    private let start = Instant(nanoseconds: 0)

    private func source(_ number: Int) -> Endpoint {
        Endpoint(address: [10, 0, UInt8(number >> 8), UInt8(number & 255)], port: 5_000)
    }

    @Test func `four half-open handshakes of one source, 32 in all`() {
        var limiter = ConnectionLimiter(handshakesPerSecond: 1_000, now: start)
        #expect((0..<6).map { _ in limiter.admit(source(1), now: start) } == [true, true, true, true, false, false])
        #expect((2..<40).filter { limiter.admit(source($0), now: start) }.count == 28)
        #expect(limiter.halfOpen == 32)
        limiter.release(source(1), from: .halfOpen)
        let isAdmitted = limiter.admit(source(99), now: start)
        #expect(isAdmitted)
    }

    @Test func `one source begins five handshakes at once and ten a minute`() {
        var limiter = ConnectionLimiter(handshakesPerSecond: 1_000, now: start)
        func tries(at now: Instant) -> Int {
            (0..<20).count { _ in
                guard limiter.admit(source(1), now: now) else { return false }
                limiter.release(source(1), from: .halfOpen)
                return true
            }
        }
        #expect(tries(at: start) == 5)
        #expect(tries(at: start + .seconds(30)) == 5)
        #expect(tries(at: start + .seconds(42)) == 2)
    }

    @Test func `all sources together begin forty at once and twenty a second`() {
        var limiter = ConnectionLimiter(handshakesPerSecond: Limits.handshakesPerSecond, now: start)
        func tries(from first: Int, at now: Instant) -> Int {
            (first..<first + 100).count { number in
                guard limiter.admit(source(number), now: now) else { return false }
                limiter.release(source(number), from: .halfOpen)
                return true
            }
        }
        #expect(tries(from: 0, at: start) == 40)
        #expect(tries(from: 200, at: start + .seconds(1)) == 20)
    }

    @Test func `loopback is exempt from what is per source`() {
        var limiter = ConnectionLimiter(handshakesPerSecond: 1_000, now: start)
        let here = Endpoint(address: [127, 0, 0, 1], port: 9)
        #expect((0..<40).count { _ in limiter.admit(here, now: start) } == 32)
    }

    private func neighbour(_ number: Int, scope: UInt32 = 2) -> Endpoint {
        let address = [0xfe, 0x80] + [UInt8](repeating: 0, count: 12) + [UInt8(number >> 8), UInt8(number & 255)]
        return Endpoint(address: address, port: 1, scope: scope)
    }

    @Test func `hosts of one IPv6 network are sources of their own`() {
        var limiter = ConnectionLimiter(handshakesPerSecond: 1_000, now: start)
        #expect((0..<6).count { _ in limiter.admit(neighbour(1), now: start) } == 4)
        #expect((2..<14).count { limiter.admit(neighbour($0), now: start) } == 12)
        let isAdmitted = limiter.admit(neighbour(1, scope: 3), now: start)
        #expect(isAdmitted)
    }

    @Test func `half-open handshakes of one IPv6 network leave room for others`() {
        var limiter = ConnectionLimiter(handshakesPerSecond: 1_000, now: start)
        #expect((0..<40).count { limiter.admit(neighbour($0), now: start) } == 24)
        let others = [source(1), neighbour(1, scope: 3)].map { limiter.admit($0, now: start) }
        #expect(others == [true, true])
        limiter.release(neighbour(0), from: .halfOpen)
        let isAdmitted = limiter.admit(neighbour(50), now: start)
        #expect(isAdmitted)
    }

    private func host(_ number: Int) -> Endpoint {
        let address = [0x20, 0x01, 0x0d, 0xb8] + [UInt8](repeating: 0, count: 10)
        return Endpoint(address: address + [UInt8(number >> 8), UInt8(number & 255)], port: 1)
    }

    @Test func `peers of one IPv6 network open 192 links, those that we dial all the same`() {
        var limiter = ConnectionLimiter(handshakesPerSecond: 0, now: start)
        #expect((0..<400).count { limiter.openLink(host($0), role: .responder, now: start) } == 192)
        let isOpened = limiter.openLink(source(1), role: .responder, now: start)
        #expect(isOpened)
        #expect((0..<400).count { limiter.openLink(host($0), role: .initiator, now: start) } == 63)
    }

    @Test func `link-local addresses are no network of one host`() {
        var limiter = ConnectionLimiter(handshakesPerSecond: 0, now: start)
        #expect((0..<400).count { limiter.openLink(neighbour($0), role: .responder, now: start) } == 224)
        limiter.release(neighbour(0), from: .link(.responder))
        #expect((0..<10).count { _ in limiter.openLink(neighbour(0), role: .responder, now: start) } == 1)
    }

    @Test func `one source opens eight links, and links that we dialled do not count`() {
        var limiter = ConnectionLimiter(handshakesPerSecond: 0, now: start)
        #expect((0..<10).count { _ in limiter.openLink(source(1), role: .initiator, now: start) } == 10)
        #expect((0..<10).count { _ in limiter.openLink(source(1), role: .responder, now: start) } == 8)
        #expect((2..<400).count { limiter.openLink(source($0), role: .initiator, now: start) } == 238)
        limiter.release(source(1), from: .link(.responder))
        let isOpened = limiter.openLink(source(1), role: .responder, now: start)
        #expect(isOpened)
    }

    @Test func `others open 224 links, the last 32 are for those that we dial`() {
        var limiter = ConnectionLimiter(handshakesPerSecond: 0, now: start)
        #expect((0..<400).count { limiter.openLink(source($0), role: .responder, now: start) } == 224)
        let isAdmitted = limiter.admit(source(500), now: start)
        #expect(!isAdmitted)
        #expect((600..<700).count { limiter.openLink(source($0), role: .initiator, now: start) } == 32)
        limiter.release(source(0), from: .link(.responder))
        let isOpened = limiter.openLink(source(500), role: .responder, now: start)
        #expect(isOpened)
    }

    @Test func `the nodes of this machine may open all links`() {
        var limiter = ConnectionLimiter(handshakesPerSecond: 0, now: start)
        let here = Endpoint(address: [127, 0, 0, 1], port: 9)
        #expect((0..<400).count { _ in limiter.openLink(here, role: .responder, now: start) } == 256)
    }

    @Test func `the table of sources stays bounded under a flood of addresses`() {
        var limiter = ConnectionLimiter(handshakesPerSecond: 0, now: start)
        for number in 0..<20_000 {
            guard limiter.admit(source(number), now: start) else { continue }
            limiter.release(source(number), from: .halfOpen)
        }
        #expect(limiter.sourceCount <= ConnectionLimiter.mostSources)
    }
}
