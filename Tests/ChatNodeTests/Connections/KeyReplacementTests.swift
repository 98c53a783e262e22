import Chat
import ChatNode
import Simulator
import Testing
import Wire

/// Nodes whose links replace their keys while people talk (Protocol.md section 4).
@Suite struct KeyReplacementTests {
    @Test(.timeLimit(.minutes(5)))
    func `in three hours of talk each link has new keys thrice, nothing is lost or repeated, and no peer goes`() throws
    {
        let simulation = Simulation(seed: 611, latency: .milliseconds(1)...(.milliseconds(40)))
        let peers = ["alice", "bob", "carol"].map { simulation.node($0) }
        try #require(simulation.meet(peers[0], peers[1], peers[2]))
        try peers[0].say("may I?", to: peers[1])
        simulation.advance(by: .seconds(1))
        try peers[1].accept(peers[0])
        simulation.advance(by: .seconds(1))
        let before = peers.map(\.events.count)
        var (said, whispered): ([String], [String]) = ([], ["may I?"])
        for number in 0..<900 {
            said.append("\(number)")
            try peers[number % 3].say("\(number)")
            whispered.append("w\(number)")
            try peers[number % 2].say("w\(number)", to: peers[1 - number % 2])
            simulation.advance(by: .seconds(12))
        }
        for peer in peers {
            #expect(peer.counter("keys_replaced") >= 6, "two links")
            #expect(peer.counter("reconnects") == 0 && peer.counter("links_replaced") == 0)
            #expect(peer.texts() == Array(said.suffix(100)))
        }
        for peer in peers.prefix(2) {
            let other = peers[0].key == peer.key ? peers[1] : peers[0]
            #expect(peer.texts(.direct(other.key)) == Array(whispered.suffix(100)))
        }
        for (peer, count) in zip(peers, before) {
            let told = peer.events.dropFirst(count).filter { event in
                switch event {
                // A peer is reported again as here when its stage changes.
                case .peer(let state, _, reason: _, was: _, online: _): state != .here
                case .notice: true
                default: false
                }
            }
            #expect(told.isEmpty, "the user is told nothing")
            #expect(Set(peer.messages.map(\.text)).count == peer.messages.count, "nothing is shown twice")
        }
    }
}
