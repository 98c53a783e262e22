import Testing
import Wire

@testable import ChatNode

@Suite struct HandshakeGateTests {
    private let start = Instant(nanoseconds: 0)

    private func source(_ number: Int) -> Endpoint {
        Endpoint(address: [10, 0, UInt8(number >> 8), UInt8(number & 255)], port: 5_000)
    }

    @Test func `four half-open handshakes of one source, 32 in all`() {
        var gate = ConnectionLimiter(handshakesPerSecond: 1_000, now: start)
        #expect((0..<6).map { _ in gate.admit(source(1), now: start) } == [true, true, true, true, false, false])
        #expect((2..<40).filter { gate.admit(source($0), now: start) }.count == 28)
        #expect(gate.halfOpen == 32)
        gate.release(source(1), from: .halfOpen)
        let isAdmitted = gate.admit(source(99), now: start)
        #expect(isAdmitted)
    }

    @Test func `one source begins five handshakes at once and ten a minute`() {
        var gate = ConnectionLimiter(handshakesPerSecond: 1_000, now: start)
        func tries(at now: Instant) -> Int {
            (0..<20).count { _ in
                guard gate.admit(source(1), now: now) else { return false }
                gate.release(source(1), from: .halfOpen)
                return true
            }
        }
        #expect(tries(at: start) == 5)
        #expect(tries(at: start + .seconds(30)) == 5)
        #expect(tries(at: start + .seconds(42)) == 2)
    }

    @Test func `all sources together begin forty at once and twenty a second`() {
        var gate = ConnectionLimiter(handshakesPerSecond: Limits.handshakesPerSecond, now: start)
        func tries(from first: Int, at now: Instant) -> Int {
            (first..<first + 100).count { number in
                guard gate.admit(source(number), now: now) else { return false }
                gate.release(source(number), from: .halfOpen)
                return true
            }
        }
        #expect(tries(from: 0, at: start) == 40)
        #expect(tries(from: 200, at: start + .seconds(1)) == 20)
    }

    @Test func `loopback is exempt from what is per source`() {
        var gate = ConnectionLimiter(handshakesPerSecond: 1_000, now: start)
        let here = Endpoint(address: [127, 0, 0, 1], port: 9)
        #expect((0..<40).count { _ in gate.admit(here, now: start) } == 32)
    }

    @Test func `an IPv6 source is a /64`() {
        var gate = ConnectionLimiter(handshakesPerSecond: 1_000, now: start)
        let admitted = (0..<6).count { host in
            let address: [UInt8] = [0x20, 1, 0xd, 0xb8, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, UInt8(host)]
            return gate.admit(Endpoint(address: address, port: 1), now: start)
        }
        #expect(admitted == 4)
    }

    @Test func `eight links of one source, 256 in all`() {
        var gate = ConnectionLimiter(handshakesPerSecond: 0, now: start)
        #expect((0..<10).count { _ in gate.openLink(source(1), role: .initiator, now: start) } == 8)
        #expect((2..<400).count { gate.openLink(source($0), role: .initiator, now: start) } == 248)
        gate.release(source(1), from: .link(.initiator))
        let isOpened = gate.openLink(source(1), role: .initiator, now: start)
        #expect(isOpened)
    }

    @Test func `others open 224 links, the last 32 are for those that we dial`() {
        var gate = ConnectionLimiter(handshakesPerSecond: 0, now: start)
        #expect((0..<400).count { gate.openLink(source($0), role: .responder, now: start) } == 224)
        let isAdmitted = gate.admit(source(500), now: start)
        #expect(!isAdmitted)
        #expect((600..<700).count { gate.openLink(source($0), role: .initiator, now: start) } == 32)
        gate.release(source(0), from: .link(.responder))
        let isOpened = gate.openLink(source(500), role: .responder, now: start)
        #expect(isOpened)
    }

    @Test func `the nodes of this machine may open all links`() {
        var gate = ConnectionLimiter(handshakesPerSecond: 0, now: start)
        let here = Endpoint(address: [127, 0, 0, 1], port: 9)
        #expect((0..<400).count { _ in gate.openLink(here, role: .responder, now: start) } == 256)
    }

    @Test func `the table of sources stays bounded under a flood of addresses`() {
        var gate = ConnectionLimiter(handshakesPerSecond: 0, now: start)
        for number in 0..<20_000 {
            guard gate.admit(source(number), now: start) else { continue }
            gate.release(source(number), from: .halfOpen)
        }
        #expect(gate.sourceCount <= ConnectionLimiter.mostSources)
    }
}
