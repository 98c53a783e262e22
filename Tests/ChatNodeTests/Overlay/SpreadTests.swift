import Chat
import Noise
import Testing
import Wire

@testable import ChatNode

/// The choice between a mesh and trees, by the effects of a node without a link.
@Suite struct SpreadTests {
    private var spread = Spread(randomness: .seeded(35))
    private let start = Instant(nanoseconds: 0)
    private let me = SpreadTests.payload().author

    private static func payload() -> VerifiedPayload {
        var randomness = Randomness.seeded(7)
        return VerifiedPayload(
            signing: .publicMessage(stage: .newcomer, nickname: "a", text: "hello"),
            by: Identity.generate(using: &randomness), in: Room.lobby.id, epoch: 1, sequence: 1,
            timestamp: Timestamp(milliseconds: 1))
    }

    private mutating func send(_ payload: VerifiedPayload, from neighbour: PeerID? = nil) -> [Effect] {
        var effects = Effects()
        spread.spread(
            payload, from: neighbour, hops: 0, me: me, Connections(me: me), now: start, &effects)
        return effects.list
    }

    private mutating func receiveLatest(_ body: [UInt8]) -> Bool {
        var effects = Effects()
        return spread.receiveLatest(body.span, from: ChoiceTown.peer(1), Connections(me: me), now: start, &effects)
    }

    @Test mutating func `in a mesh a payload of this node takes all links, and a neighbour's goes no further`() {
        let effects = send(SpreadTests.payload())
        guard effects.count == 1, case .deliver(let delivery, to: .everyone) = effects[0] else {
            Issue.record("\(effects)")
            return
        }
        #expect(delivery.type == .publicMessage && delivery.certificate == nil && !delivery.isOptional)
        #expect(delivery.frame == SpreadTests.payload().frame(hops: 0))
        #expect(send(SpreadTests.payload(), from: ChoiceTown.peer(1)).isEmpty)
        #expect(spread.recent[SpreadTests.payload().id.prefix] == nil)
    }

    @Test mutating func `in a large room a payload goes to neighbours alone, and is kept for those that lack it`() {
        let isFirst = spread.setMode(.overlay, now: start)
        let isSecond = spread.setMode(.overlay, now: start)
        #expect(isFirst && !isSecond && spread.isEngaged)
        let effects = send(SpreadTests.payload())
        guard effects.count == 1, case .arm(.overlay) = effects[0] else {
            Issue.record("\(effects)")
            return
        }
        #expect(spread.recent[SpreadTests.payload().id.prefix] != nil)
    }

    @Test mutating func `a list of ids counts only where payloads take trees`() {
        let inMesh = receiveLatest([1])
        #expect(!inMesh && spread.malformedLists == 0)
        _ = spread.setMode(.relaying, now: start)
        let inRoom = receiveLatest([1])
        #expect(!inRoom && spread.malformedLists == 1)
        let isTaken = receiveLatest(Array(LatestFrame(wantsAnswer: false, ids: [7]).bytes.dropFirst()))
        #expect(isTaken && spread.malformedLists == 1)
    }
}
