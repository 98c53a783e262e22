import Noise
import Testing
import Wire

@testable import ChatNode

@Suite struct MissedPeersTests {
    private let peers: [PeerID]

    init() throws {
        peers = try (UInt8(0)..<200).map { try #require(PeerID([UInt8](repeating: $0, count: 32))) }
    }

    @Test func `peers are missed until the last of them is back`() {
        var missed = MissedPeers()
        for number in [1, 2, 1] { missed.fellSilent(peers[number]) }
        let isLast = [3, 1, 2, 2].map { missed.found(peers[$0]) }
        #expect(isLast == [false, false, true, false])
    }

    @Test func `only so many are kept, those that fell silent last`() {
        var missed = MissedPeers()
        for peer in peers { missed.fellSilent(peer) }
        let early = peers[..<136].map { missed.found($0) }
        let late = peers[136...].map { missed.found($0) }
        #expect(!early.contains(true))
        #expect(late.filter { $0 }.count == 1 && late.last == true)
    }
}
