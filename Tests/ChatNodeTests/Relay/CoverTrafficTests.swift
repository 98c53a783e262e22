import Chat
import Noise
import Testing
import Wire

@testable import ChatNode

/// The times of answers, receipts and slots, as effects of the part (Protocol.md section 8).
final class CoverTrafficTests {
    private let bench = LinkBench()
    private let links: [LinkInfo]
    private var cover = CoverTraffic(isOn: false, randomness: .seeded(81))
    private var router = MessageRouter(session: PartsBench.session(of: 7_000))
    private var session: UserSession
    private let bob = Runs(identitySeed: 1).id

    init() {
        var links: [LinkInfo] = []
        for seed in 1...3 as ClosedRange<UInt64> { links.append(bench.link(to: seed)) }
        self.links = links
        var randomness = Randomness.seeded(7_000)
        session = UserSession(
            identity: Identity.generate(using: &randomness), room: Room.lobby.id, epoch: 1, nickname: "me")
    }

    private func receive(_ body: [UInt8], on link: LinkInfo, after time: Duration = .zero) -> [Effect] {
        var effects = Effects()
        cover.receive(body.span, on: link, bench.environment(.mesh, after: time), &effects)
        return effects.list
    }

    private func accept() -> VerifiedPayload { session.sign(.dmAccept(target: bob), at: bench.wallClock) }

    private func send(after time: Duration = .zero) -> [CoverTraffic.Hiding] {
        var effects = Effects()
        cover.send(accept(), to: bob, bench.environment(.mesh, after: time), &effects)
        return effects.list.compactMap { if case .sendPrivate(_, to: bob, let hiding) = $0 { hiding } else { nil } }
    }

    @Test func `an answer is due within the time of the protocol, one on a link, and differs from link to link`() throws
    {
        var deadlines: Set<Instant> = []
        for link in links {
            cover.lastLinkEnded(of: try #require(link.peer))
            _ = receive([1, 0, 0], on: link)
            let deadline = try #require(cover.nextDeadline)
            let pause = deadline - bench.start
            #expect((Limits.coverAnswerLeast...Limits.coverAnswerMost).contains(pause))
            deadlines.insert(deadline)
            // A second request meanwhile changes nothing.
            _ = receive([1], on: link, after: .milliseconds(100))
            #expect(cover.nextDeadline == deadline)
            cover.lastLinkEnded(of: try #require(link.peer))
            #expect(cover.nextDeadline == nil)
        }
        #expect(deadlines.count == links.count)
    }

    @Test(arguments: [[], [2], [0, 1], [1, 0, 9]] as [[UInt8]])
    func `a malformed frame is counted and asks for nothing`(_ body: [UInt8]) {
        let effects = receive(body, on: links[0])
        #expect(effects.count == 1)
        if case .countUnexpectedFrame = effects.first {} else { Issue.record("\(effects)") }
        #expect(cover.nextDeadline == nil)
    }

    @Test func `a frame without the flag asks for nothing`() {
        #expect(receive([0, 0, 0], on: links[0]).isEmpty && cover.nextDeadline == nil)
    }

    @Test func `a payload goes at once with records that want an answer, and without cover waits for nothing`() {
        #expect(send() == [.records(wantsAnswer: true)])
        #expect(cover.nextDeadline == nil)
    }

    private func turnCover(on isOn: Bool) -> [Effect] {
        var effects = Effects()
        bench.change { cover.turn(on: isOn, &router, &$0, bench.environment(.mesh), &effects) }
        return effects.list
    }

    @Test func `with cover a payload waits for its slot, and goes in a last one when cover ends`() throws {
        _ = turnCover(on: true)
        let slot = try #require(cover.nextDeadline)
        #expect((Limits.coverSlotLeast...Limits.coverSlotMost).contains(slot - bench.start))
        #expect(send() == [])
        // Slots answer: no request moves the deadline.
        _ = receive([1], on: links[0])
        #expect(cover.nextDeadline == slot)
        let last = turnCover(on: false)
        let taken = last.count { if case .sendPrivate(_, to: bob, .none) = $0 { true } else { false } }
        let covers = last.count { if case .then(.coverLinks) = $0 { true } else { false } }
        #expect(taken == 1 && covers == 1 && cover.nextDeadline == nil)
    }

    @Test func `held payloads are bounded`() {
        _ = turnCover(on: true)
        for _ in 0..<Limits.heldPayloads + 10 { _ = send() }
        let sent = turnCover(on: false).count { if case .sendPrivate = $0 { true } else { false } }
        #expect(sent == Limits.heldPayloads)
    }

    @Test(arguments: [1, 150, 505, 506, 507, 510, 511, 1_273, 1_274, 1_275, 1_278, 4_000, 4_090])
    func `a frame of any length and the one behind it fill a record, as the one of the other links does`(count: Int)
        throws
    {
        for wantsAnswer in [false, true] {
            let (whole, rest) = ChaffFrame.hiding(count, wantsAnswer: wantsAnswer)
            #expect(Limits.recordPlaintexts.contains(Limits.lengthPrefix + whole.byteCount))
            let behind = rest.map { Limits.lengthPrefix + $0.byteCount } ?? 0
            #expect(whole.byteCount == count + behind)
            #expect(whole.wantsAnswer == wantsAnswer && rest?.wantsAnswer ?? wantsAnswer == wantsAnswer)
            // Without a frame behind it nothing is asked.
            #expect(rest != nil || !wantsAnswer)
        }
    }

    @Test func `a frame without content is read as it is written`() {
        let frame = ChaffFrame(wantsAnswer: true, byteCount: 40)
        #expect(frame.bytes.count == 40)
        let bytes = frame.bytes
        let read = ChaffFrame(bytes.span.extracting(1...))
        #expect(read == frame)
        #expect(ChaffFrame(wantsAnswer: false).bytes == [FrameType.chaff.rawValue, 0])
    }
}
