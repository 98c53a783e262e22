import Chat
import Noise
import Simulator
import Testing
import Wire

@testable import ChatNode

/// A room of nodes with few links each, in overlay mode.
struct OverlayRoom {
    let simulation: Simulation
    private(set) var peers: [SimulatedPeer] = []

    /// - Parameter links: of each node.
    init(_ count: Int, links: Int, seed: UInt64 = 24) {
        simulation = Simulation(
            seed: seed, latency: .milliseconds(4)...(.milliseconds(6)),
            topology: .limited(places: count, links: links, seed: seed))
        for place in 0..<count {
            peers.append(
                simulation.node("node-\(place)", place: place) {
                    $0.messagesPerSecond = 0
                    $0.handshakesPerSecond = 0
                })
        }
        simulation.advance(by: .seconds(2))
        for peer in peers { peer.with { node in node.setMode(.overlay) } }
        simulation.advance(by: .seconds(12))
    }

    func sum(_ counter: String) -> Int { peers.reduce(0) { $0 + $1.counter(counter) } }

    /// Each of `speakers` says so many messages in turn; returns the texts.
    func talk(_ speakers: [SimulatedPeer], _ rounds: Int, _ word: String = "message") throws -> [String] {
        var texts: [String] = []
        for round in 0..<rounds {
            for (number, speaker) in speakers.enumerated() {
                let text = "\(word) \(number)-\(round)"
                try speaker.say(text)
                texts.append(text)
                simulation.advance(by: .milliseconds(50))
            }
        }
        return texts
    }

    /// The messages that a node showed, and how many of these came as history.
    static func shown(_ peer: SimulatedPeer) -> (texts: [String], history: Int) {
        let messages = peer.messages.filter { if case .publicRoom = $0.conversation { true } else { false } }
        return (messages.map(\.text), messages.count(where: \.isHistory))
    }
}

@Suite struct OverlayRoomTests {
    @Test func `a hello counts the others of the room, as the mode of its receiver does`() {
        let simulation = Simulation(seed: 5)
        let peers = (0..<6).map { simulation.node("node-\($0)") }
        simulation.advance(by: .seconds(5))
        for peer in peers { peer.with { node in node.setMode(.overlay) } }
        simulation.advance(by: .milliseconds(500))
        for peer in peers {
            let told = peer.with { node in node.parts.spread.neighbours.table.values.compactMap { $0.hello?.known } }
            #expect(told == Array(repeating: 5, count: 5))
        }
    }

    @Test(arguments: 1...3 as ClosedRange<UInt64>)
    func `all nodes show each message once, as it is said, in the order of its author`(seed: UInt64) throws {
        let room = OverlayRoom(30, links: 6, seed: seed)
        let texts = try room.talk(Array(room.peers.prefix(5)), 8)
        room.simulation.advance(by: .seconds(1))
        for peer in room.peers {
            let (shown, history) = OverlayRoom.shown(peer)
            #expect(shown.sorted() == texts.sorted() && history == 0)
            for author in 0..<5 {
                let own = shown.filter { $0.hasPrefix("message \(author)-") }
                #expect(own == (0..<8).map { "message \(author)-\($0)" })
            }
        }
    }

    @Test func `once a tree is made each node gets each message once`() throws {
        let room = OverlayRoom(30, links: 6)
        let speakers = Array(room.peers.prefix(5))
        _ = try room.talk(speakers, 2)
        room.simulation.advance(by: .seconds(3))
        let before = (room.sum("payloads_sent"), room.sum("dropped_duplicate"))
        _ = try room.talk(speakers, 8)
        room.simulation.advance(by: .seconds(3))
        #expect(room.sum("payloads_sent") - before.0 == 40 * 29)
        #expect(room.sum("dropped_duplicate") == before.1)
    }

    @Test func `edits and deletions travel as messages do, and typing in the room does not`() throws {
        let room = OverlayRoom(24, links: 5)
        let speaker = room.peers[0]
        try speaker.say("frist")
        room.simulation.advance(by: .seconds(1))
        try speaker.with { node throws(ChatError) in try node.perform(.edit(nil, "first")) }
        try room.peers[1].say("second")
        room.simulation.advance(by: .seconds(1))
        try room.peers[1].with { node throws(ChatError) in try node.perform(.delete(nil)) }
        speaker.with { node in node.change(.typing(true)) }
        room.simulation.advance(by: .seconds(1))
        #expect(room.peers.allSatisfy { $0.texts() == ["first"] })
        #expect(room.sum("history_received") == 0)
        #expect(room.sum("sent_typing") == 0)
    }

    @Test func `after a fifth of the nodes vanished the others hear each other within a second`() throws {
        let room = OverlayRoom(30, links: 8)
        let speakers = Array(room.peers.suffix(5))
        _ = try room.talk(speakers, 2)
        for peer in room.peers.prefix(6) { peer.kill() }
        let texts = try room.talk(speakers, 8, "later")
        room.simulation.advance(by: .seconds(1))
        for peer in room.peers.dropFirst(6) {
            let (shown, history) = OverlayRoom.shown(peer)
            #expect(shown.filter { $0.hasPrefix("later") }.sorted() == texts.sorted() && history == 0)
        }
    }

    @Test func `a payload that came from outside of all links spreads as an own one`() throws {
        let room = OverlayRoom(24, links: 5)
        var randomness = Randomness.seeded(5)
        let author = Identity.generate(using: &randomness)
        let payload = VerifiedPayload(
            signing: .publicMessage(stage: .newcomer, nickname: "far", text: "from afar"), by: author,
            in: Room.lobby.id, epoch: 1, sequence: 1, timestamp: room.simulation.timeline.wallClock)
        room.peers[3].with { node in node.broadcast(payload) }
        room.simulation.advance(by: .seconds(1))
        for peer in room.peers where peer !== room.peers[3] { #expect(peer.texts() == ["from afar"]) }
        #expect(room.sum("bans") == 0)
    }

    @Test func `two nodes of a mesh relay nothing, and one in overlay mode serves both kinds`() throws {
        let simulation = Simulation(seed: 9)
        let (left, middle, right) = (simulation.node("left"), simulation.node("middle"), simulation.node("right"))
        simulation.part(left, right)
        simulation.advance(by: .seconds(2))
        try left.say("one")
        simulation.advance(by: .milliseconds(500))
        #expect(right.texts() == [])
        middle.with { node in node.setMode(.overlay) }
        simulation.advance(by: .seconds(1))
        try left.say("two")
        simulation.advance(by: .milliseconds(500))
        #expect(right.texts().contains("two"))
        try right.say("three")
        try middle.say("four")
        simulation.advance(by: .milliseconds(500))
        #expect(left.texts().sorted() == ["four", "one", "three", "two"])
        #expect(left.messages.allSatisfy { !$0.isHistory })
        middle.with { node in node.setMode(.mesh) }
        simulation.advance(by: .seconds(1))
        try left.say("five")
        simulation.advance(by: .milliseconds(500))
        #expect(middle.texts().contains("five") && !right.texts().contains("five"))
    }

    @Test(arguments: 1...4 as ClosedRange<UInt64>)
    func `no message is lost or shown twice while nodes change their mode at any time`(seed: UInt64) throws {
        var randomness = Randomness.seeded(seed)
        let room = OverlayRoom(16, links: Int.random(in: 4...15, using: &randomness), seed: seed)
        var texts: [String] = []
        for number in 0..<60 {
            if Int.random(in: 0..<3, using: &randomness) == 0 {
                let isOn = Bool.random(using: &randomness)
                room.peers.randomElement(using: &randomness)?.with { node in node.setMode(isOn ? .overlay : .mesh) }
            }
            try room.peers.randomElement(using: &randomness)?.say("message \(number)")
            texts.append("message \(number)")
            room.simulation.advance(by: .milliseconds(Int.random(in: 0...300, using: &randomness)))
        }
        room.simulation.advance(by: .seconds(60))
        for peer in room.peers { #expect(OverlayRoom.shown(peer).texts.sorted() == texts.sorted()) }
        for (path, size) in room.peers[0].with({ node in Examination.tableSizes(of: node) })
        where path.hasPrefix("overlay") {
            #expect(size <= Limits.seenMessages, "\(path)")
        }
    }
}
