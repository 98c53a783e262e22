import CLinux
import ChatNode
import Glibc
import Reactor
import TestSupport
import Testing
import Wire

@testable import Discovery

/// A UDP socket on loopback that has a port.
private final class LoopbackSocket {
    let number: CInt
    let port: UInt16

    init() throws {
        let kind = CInt(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        number = socket(AF_INET, kind, 0)
        let anywhere = SocketAddress(Endpoint(address: [127, 0, 0, 1], port: 0))
        let descriptor = number
        try SystemError.check("bind", unsafe anywhere.lend { unsafe bind(descriptor, $0, $1) })
        let (_, address) = unsafe SocketAddress.written { unsafe getsockname(descriptor, $0, $1) }
        port = try #require(address.endpoint).port
    }

    deinit { close(number) }

    func send(_ bytes: [UInt8], to other: LoopbackSocket) {
        let descriptor = number
        let count = unsafe SocketAddress(Endpoint(address: [127, 0, 0, 1], port: other.port)).lend {
            unsafe CInt(truncatingIfNeeded: sendto(descriptor, bytes, bytes.count, 0, $0, $1))
        }
        #expect(count == bytes.count)
    }

    /// Reads one packet; nil where there is none.
    func receive() -> UInt8? {
        var bytes = [UInt8](repeating: 0, count: 64)
        return unsafe recv(number, &bytes, bytes.count, 0) > 0 ? bytes[0] : nil
    }
}

@Suite struct MulticastGateTests {
    /// A response that says of itself that it has `records`, numbered in its first byte.
    private func response(_ number: UInt8, records: UInt8) -> [UInt8] {
        [number, 0, 0x84, 0, 0, 0, 0, records, 0, 0, 0, 0]
    }

    @Test func `a response costs its records, a query its questions, and an eighth of what it knows`() {
        func cost(_ header: [UInt8]) -> Int { MulticastPacket(sender: [10, 0, 0, 1], header: header).cost }
        #expect(cost(response(0, records: 4)) == 5)
        #expect(cost([0, 0, 0x84, 0, 0, 0, 0, 1, 0, 2, 1, 0]) == 260)
        #expect(cost([0, 0, 0, 0, 0, 1, 0, 34, 0, 0, 0, 0]) == 6)
        #expect(cost([0, 0, 0x84]) == 1)
    }

    @Test func `packets above a sender's rate are dropped unread, and counted`() throws {
        let (near, far) = (try LoopbackSocket(), try LoopbackSocket())
        let gate = MulticastGate { [] }
        for number in 1...5 { far.send(response(UInt8(number), records: 99), to: near) }
        var read: [UInt8] = []
        while gate.hasWelcome(on: near.number), let number = near.receive() { read.append(number) }
        #expect(read == [1, 2])
        #expect(gate.refused == 3)
        #expect(near.receive() == nil)
    }

    @Test func `this machine may say as much as it likes`() throws {
        let (near, far) = (try LoopbackSocket(), try LoopbackSocket())
        let gate = MulticastGate { [[127, 0, 0, 1]] }
        for number in 1...5 { far.send(response(UInt8(number), records: 99), to: near) }
        var read: [UInt8] = []
        while gate.hasWelcome(on: near.number), let number = near.receive() { read.append(number) }
        #expect(read == [1, 2, 3, 4, 5])
    }

    @Test func `other sockets than UDP are left alone`() throws {
        var ends: [CInt] = [0, 0]
        #expect(unsafe socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0, &ends) == 0)
        defer { ends.forEach { close($0) } }
        #expect(MulticastGate { [] }.hasWelcome(on: ends[0]))
    }

    @Test func `the counter answers while the kernel is asked for addresses`() async throws {
        let kernel = try Gate()
        let gate = MulticastGate(addresses: {
            kernel.hold()
            return []
        })
        let loop = try EventLoop(name: "gate")
        try loop.start()
        loop.execute {
            let packet = MulticastPacket(sender: [192, 0, 2, 1], header: [UInt8](repeating: 0, count: 12))
            while gate.admits(packet, now: .monotonic) {}
        }
        await kernel.holds()
        #expect(gate.refused == 0)
        #expect(!kernel.hasTimedOut)
        kernel.open()
        await loop.end()
        #expect(gate.refused == 1)
    }
}
