import Noise
import Testing
import Wire

@testable import ChatNode

@Suite struct TableTests {
    @Test func `a ban ends after ten minutes, and loopback is never banned`() throws {
        var bans = BanList()
        let key = try #require(PeerID([UInt8](repeating: 1, count: 32)))
        let start = Instant(nanoseconds: 0)
        let endpoint = Endpoint(address: [10, 0, 0, 1], port: 1)
        let here = Endpoint(address: [127, 0, 0, 1], port: 1)
        bans.ban(key, at: endpoint, now: start)
        bans.ban(nil, at: here, now: start)
        #expect(bans.isBanned(key, now: start + .seconds(599)))
        #expect(bans.isBanned(Endpoint(address: [10, 0, 0, 1], port: 2), now: start))
        #expect(!bans.isBanned(here, now: start))
        #expect(!bans.isBanned(key, now: start + .seconds(600)))
    }

    @Test func `a ban names an address, not its neighbours in an IPv6 network`() {
        var bans = BanList()
        let start = Instant(nanoseconds: 0)
        func neighbour(_ number: UInt8) -> Endpoint {
            Endpoint(address: [0xfe, 0x80] + [UInt8](repeating: 0, count: 13) + [number], port: 1, scope: 2)
        }
        bans.ban(nil, at: neighbour(1), now: start)
        #expect(bans.isBanned(neighbour(1), now: start) && !bans.isBanned(neighbour(2), now: start))
    }

    @Test func `an outbox gives up what was taken, in order`() {
        var outbox = Outbox()
        var taken: [UInt8] = []
        for piece in 0..<50 {
            outbox.append([UInt8](repeating: UInt8(piece), count: 700))
            outbox.drain { bytes in
                let count = min(bytes.count, 333)
                taken += [UInt8](copying: bytes.extracting(first: count))
                return count
            }
        }
        while !outbox.isEmpty {
            outbox.drain { bytes in
                taken += [UInt8](copying: bytes.extracting(first: 1))
                return 1
            }
        }
        #expect(taken == (0..<50).flatMap { [UInt8](repeating: UInt8($0), count: 700) })
    }

    @Test func `an outbox spills only much, and not to a network that has taken no more`() {
        var outbox = Outbox()
        var offers: [Int] = []
        func offer(_ room: Int) -> (Span<UInt8>) -> Int {
            { bytes in
                offers.append(bytes.count)
                return min(room, bytes.count)
            }
        }
        outbox.append([UInt8](repeating: 1, count: 60_000))
        outbox.drainIfLarge(offer(.max))
        #expect(offers.isEmpty)
        outbox.append([UInt8](repeating: 1, count: 10_000))
        outbox.drainIfLarge(offer(1_000))
        outbox.drainIfLarge(offer(.max))
        #expect(offers == [70_000] && outbox.count == 69_000)
        outbox.drain(offer(.max))
        #expect(offers == [70_000, 69_000] && outbox.isEmpty)
        outbox.append([UInt8](repeating: 1, count: 66_000))
        outbox.drainIfLarge(offer(.max))
        #expect(offers == [70_000, 69_000, 66_000] && outbox.isEmpty)
    }

    @Test func `an endpoint knows an IPv4 address that comes as IPv6`() {
        let mapped = Endpoint(address: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 10, 0, 0, 1], port: 7, scope: 3)
        #expect(mapped == Endpoint(address: [10, 0, 0, 1], port: 7))
        #expect(Endpoint(address: [0xfe, 0x80] + [UInt8](repeating: 0, count: 14), port: 1).isLinkLocalIPv6)
        #expect(!Endpoint(address: [0xfe, 0xc0] + [UInt8](repeating: 0, count: 14), port: 1).isLinkLocalIPv6)
    }
}
