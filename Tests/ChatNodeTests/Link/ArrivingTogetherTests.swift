import Chat
import ChatNode
import Simulator
import Testing
import Wire

/// Frames of one read: the node reports each in its place, up to the frame that ends the link.
@Suite struct ArrivingTogetherTests {
    private let simulation = Simulation(seed: 32)
    private let alice: SimulatedPeer
    private let member: RudeMember

    init() throws {
        alice = simulation.node("alice") { $0.messagesPerSecond = 0 }
        member = RudeMember(simulation: simulation, seed: 78)
        try #require(member.enter(by: alice, in: simulation))
    }

    private func frame(_ body: PayloadBody, hops: UInt8 = 0) -> [UInt8] {
        member.payload(body, at: simulation.timeline.wallClock).frame(hops: hops)
    }

    private func message(_ text: String, by nickname: String = "ann") -> [UInt8] {
        frame(.publicMessage(stage: .newcomer, nickname: nickname, text: text))
    }

    private func send(_ frames: [[UInt8]]) {
        simulation.timeline.perform { member.send(together: frames) }
        simulation.advance(by: .seconds(1))
    }

    /// Alice's reports about the member, in order: its texts, and its names when it came or changed.
    private var told: [String] {
        alice.events.compactMap { event in
            switch event {
            case .message(let message): message.text
            case .peer(let state, let who, _, _, _) where who.key == member.key: "\(state) \(who.nickname)"
            default: nil
            }
        }
    }

    @Test func `three hundred messages are reported in their order`() {
        let texts = (0..<300).map { "number \($0)" }
        send(texts.map { message($0) })
        #expect(told == ["here ann"] + texts)
        #expect(alice.texts() == texts.suffix(100))
        #expect(alice.unread() == 0)
        #expect(alice.counter("payloads_admitted") >= 300)
    }

    @Test func `a name is reported before the first message under it, and after the messages before`() {
        send([message("one"), message("two"), message("three", by: "bea"), message("four", by: "cleo")])
        #expect(told == ["here ann", "one", "two", "here bea", "three", "here cleo", "four"])
    }

    @Test func `a presence stays between the messages around it`() {
        let away = PayloadBody.presence(Presence(.away, stage: .newcomer, nickname: "dora"))
        send([message("one"), frame(away), message("two", by: "dora")])
        #expect(told == ["here ann", "one", "away dora", "two"])
    }

    @Test func `the payloads before a forged one are reported, and none after it`() {
        let other = RudeMember(simulation: simulation, seed: 500)
        let body = PayloadBody.publicMessage(stage: .newcomer, nickname: "eve", text: "forged")
        var forged = other.payload(body, at: simulation.timeline.wallClock).frame(hops: 1)
        forged[forged.count - 1] ^= 1
        send([message("one"), message("two"), forged, message("three")])
        simulation.advance(by: .seconds(20))
        #expect(told == ["here ann", "one", "two", "left ann"])
        #expect(member.isClosed)
        #expect(alice.counter("bans") == 1)
    }

    @Test func `the payloads before a goodbye are reported before the goodbye`() {
        send([message("one"), message("two"), [FrameType.goodbye.rawValue, 0], message("three")])
        #expect(told == ["here ann", "one", "two", "left ann"])
    }

    @Test func `the frames before one out of bounds are reported`() {
        send([message("one"), message("one"), [FrameType.payload.rawValue], message("two")])
        #expect(told == ["here ann", "one", "one", "two"])
    }

    @Test func `an edit finds the message that came just before it`() throws {
        let payload = member.payload(
            .publicMessage(stage: .newcomer, nickname: "ann", text: "helo"), at: simulation.timeline.wallClock)
        let edit = frame(.edit(target: payload.payload.messageId, text: "hello"))
        send([payload.frame(hops: 0), edit, message("two")])
        #expect(alice.texts() == ["hello", "two"])
        #expect(told == ["here ann", "helo", "two"])
    }
}
