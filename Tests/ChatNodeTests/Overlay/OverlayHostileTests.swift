import Chat
import Noise
import Simulator
import Testing
import Wire

@testable import ChatNode

/// Neighbours in a large room that take part and break the rules.
@Suite struct OverlayHostileTests {
    private let simulation = Simulation(seed: 47)
    private let alice: SimulatedPeer
    private let rude: RudeMember

    init() throws {
        alice = simulation.node("alice") { $0.messagesPerSecond = 0 }
        rude = RudeMember(simulation: simulation, seed: 77)
        try #require(rude.enter(by: alice, in: simulation))
        alice.with { node in node.setMode(.overlay) }
        simulation.advance(by: .seconds(1))
        send(TreeFrame.hello(Hello(isOverlay: true)).bytes)
    }

    private func send(_ frame: [UInt8]) {
        simulation.timeline.perform { rude.send(frame) }
        simulation.advance(by: .seconds(1))
    }

    private func message(_ text: String) -> PayloadBody {
        .publicMessage(stage: .newcomer, nickname: "rude", text: text)
    }

    /// The trees that the rude member was asked for and not told to stop.
    private var grafts: [TreeFrame] {
        rude.frames(.tree).compactMap { TreeFrame($0.span) }.filter { if case .graft = $0 { true } else { false } }
    }

    @Test func `a neighbour that gives nothing keeps no message from a node with another neighbour`() throws {
        let (bob, carol) = (simulation.node("bob"), simulation.node("carol"))
        simulation.part(alice, carol)
        simulation.advance(by: .seconds(2))
        for peer in [bob, carol] { peer.with { node in node.setMode(.overlay) } }
        simulation.advance(by: .seconds(2))
        #expect(!grafts.isEmpty)
        for number in 0..<10 {
            try carol.say("\(number)")
            simulation.advance(by: .milliseconds(700))
        }
        #expect(alice.texts() == (0..<10).map { "\($0)" })
        #expect(alice.messages.allSatisfy { !$0.isHistory })
    }

    @Test func `a neighbour that announces and does not give loses its link at the third promise, and is not dialled`()
    {
        for number in 1...2 as ClosedRange<UInt64> {
            send(NewsFrame(ids: [number]).bytes)
            simulation.advance(by: .seconds(2))
            #expect(!rude.isClosed)
        }
        send(NewsFrame(ids: [3]).bytes)
        simulation.advance(by: .seconds(2))
        #expect(rude.isClosed)
        let source = simulation.network.endpoints(of: rude.host)[0]
        let isAvoided = alice.with { node in node.parts.links.isAvoided(source, now: node.scheduler.now) }
        #expect(isAvoided)
        simulation.advance(by: .seconds(600))
        let isStillAvoided = alice.with { node in node.parts.links.isAvoided(source, now: node.scheduler.now) }
        #expect(!isStillAvoided)
    }

    @Test func `an idle neighbour that grafts all trees gets three of them`() throws {
        let others = (0..<8).map { simulation.node("other-\($0)") }
        for other in others { other.with { node in node.setMode(.overlay) } }
        simulation.advance(by: .seconds(2))
        send(TreeFrame.prune(Trees.all).bytes)
        simulation.advance(by: .seconds(65))
        send(TreeFrame.graft(Trees.all, ids: []).bytes)
        let pushes = alice.with { [key = rude.key] node in node.parts.spread.neighbours[key]?.pushes ?? 0 }
        #expect(pushes.nonzeroBitCount == Limits.treesOfIdleNeighbour)
        let refused = rude.frames(.tree).compactMap { TreeFrame($0.span) }.compactMap {
            if case .prune(let mask) = $0 { mask } else { nil }
        }
        #expect(refused.last == ~pushes)
        #expect(others.count == 8)
        let before = rude.frames(.tree).count
        for _ in 0..<5 { send(TreeFrame.graft(Trees.all, ids: []).bytes) }
        #expect(rude.frames(.tree).count == before)
    }

    @Test func `a forged payload in a large room convicts the neighbour that passed it on, and is not shown`() throws {
        let other = RudeMember(simulation: simulation, seed: 500)
        var frame = other.payload(message("forged"), at: simulation.timeline.wallClock).frame(hops: 3)
        frame[frame.count - 1] ^= 1
        send(frame)
        #expect(rude.isClosed && alice.counter("bans") == 1 && alice.texts().isEmpty)
    }

    @Test func `a payload whose author signed it falsely is not passed on, and its author is banned`() throws {
        let bob = simulation.node("bob")
        simulation.advance(by: .seconds(2))
        var frame = rude.payload(message("forged"), at: simulation.timeline.wallClock).frame(hops: 0)
        frame[frame.count - 1] ^= 1
        send(frame)
        #expect(rude.isClosed && alice.counter("bans") == 1)
        #expect(alice.texts().isEmpty && bob.texts().isEmpty && bob.counter("bans") == 0)
    }

    @Test func `copies along no link of the tree are not passed on, and are answered with a prune`() throws {
        let child = simulation.node("child")
        child.with { node in node.setMode(.overlay) }
        simulation.advance(by: .seconds(2))
        // The wide payload makes this node the root of a tree with a child, and the other neighbour does not graft.
        try alice.say("first")
        simulation.advance(by: Limits.wideContest)
        let other = RudeMember(simulation: simulation, seed: 500)
        let frame = other.payload(message("again"), at: simulation.timeline.wallClock).frame(hops: 1)
        for _ in 0..<5 { send(frame) }
        let prunes = rude.frames(.tree).compactMap { TreeFrame($0.span) }
            .filter { $0 == .prune(Trees.bit(Trees.index(of: other.key))) }
        #expect(alice.texts() == ["first", "again"] && prunes.count == 5)
        #expect(child.texts() == ["first", "again"])
        #expect(!rude.isClosed)
    }

    @Test func `a neighbour that grafts the same payloads without end is given few of them`() throws {
        let text = String(repeating: "a", count: 240)
        for _ in 0..<32 { try alice.say(text) }
        simulation.advance(by: .seconds(1))
        let ids = alice.with { [now = simulation.now] node in node.parts.spread.recent.latest(at: now) }.suffix(32)
        let before = alice.counter("payloads_sent")
        let graft = TreeFrame.graft(0, ids: Array(ids)).bytes
        simulation.timeline.perform { rude.send(together: [[UInt8]](repeating: graft, count: 300)) }
        simulation.advance(by: .seconds(1))
        let given = alice.counter("payloads_sent") - before
        #expect(given >= 200 && given <= 260)
        // It learns of those that it does not get.
        let lacking = rude.frames(.tree).compactMap { TreeFrame($0.span) }.reduce(0) { sum, frame in
            if case .lacking(let ids) = frame { sum + ids.count } else { sum }
        }
        #expect(given + lacking >= 300 * 32 - Int(Limits.overlayFramesPerSecond) * 32)
    }

    @Test func `frames without end and without sense neither close the link nor are all read`() throws {
        let frames: [[UInt8]] = [
            [10], [10, 9], [11, 2], [12, 255], [10, 1, 255, 33], [12, 1, 0, 0, 0, 0, 0, 0, 0, 7, 7],
        ]
        for frame in frames { send(frame) }
        #expect(alice.counter("unexpected_frames") >= 3 && alice.counter("id_lists_malformed") >= 2)
        let before = alice.counter("unexpected_frames")
        let prunes = [[UInt8]](repeating: TreeFrame.prune(Trees.all).bytes, count: 2_000)
        simulation.timeline.perform { rude.send(together: prunes) }
        simulation.advance(by: .seconds(1))
        #expect(alice.counter("unexpected_frames") - before >= 1_000)
        try alice.say("still here")
        simulation.advance(by: .seconds(1))
        #expect(!rude.isClosed)
    }
}
