import Noise
import Testing
import Wire

@testable import Chat
@testable import ChatNode

/// The five origins of a payload, and the order of its checks, as a value with one link (Protocol.md sections 7 and 8).
final class IntakeOriginTests {
    private let parts = PartsBench(isBridge: true)
    /// The peer of the link.
    private var neighbour = PartsBench.session(of: 1)
    /// A third identity.
    private var author = PartsBench.session(of: 9)

    private var now: Timestamp { parts.bench.wallClock }

    private func text(_ text: String) -> PayloadBody { .publicMessage(stage: .newcomer, nickname: "otter", text: text) }

    /// How the link is to end, by the names of the cases.
    private func ends(_ effects: [Effect]) -> [String] {
        effects.compactMap { if case .close(.link(parts.link.id), let closing) = $0 { "\(closing)" } else { nil } }
    }

    @Test func `a payload on its author's link is live, and is not admitted again`() {
        let frame = neighbour.sign(text("hello"), at: now).signed.frame(hops: 0)
        let first = parts.receive(frame).payload
        guard let first, case .live = first.origin else {
            Issue.record("\(first as Any)")
            return
        }
        #expect(first.isPlain && !first.isRepeated && first.hops == 0 && first.askedAt == nil)
        #expect(first.link?.id == parts.link.id && parts.intake.hops[0] == 1)
        #expect(parts.receive(frame).payload == nil)
        #expect(parts.value(.dropped(.duplicate)) == 1 && parts.value(.payloadsAdmitted) == 1)
    }

    @Test func `a request that its author sends again is repeated`() throws {
        let request = PayloadBody.dmRequest(target: parts.bench.me, nickname: "otter", text: "hello")
        let frame = try parts.directFrame(neighbour.sign(request, at: now), of: 1)
        let answers = [parts.receiveDirect(frame), parts.receiveDirect(frame)]
        #expect(answers.map { $0.payload?.isRepeated } == [false, true])
        // Nothing but the first counts as a public message.
        #expect(parts.intake.hops[0] == 0)
    }

    @Test func `a false MAC, or one under another certificate, drops a payload and ends no link`() throws {
        let request = PayloadBody.dmRequest(target: parts.bench.me, nickname: "otter", text: "hello")
        let frame = try parts.directFrame(neighbour.sign(request, at: now), of: 1)
        for place in [1, 2, frame.count - 1] {
            var forged = frame
            forged[place] ^= 1
            let (admitted, effects) = parts.receiveDirect(forged)
            #expect(admitted == nil && effects.isEmpty)
        }
        #expect(parts.value(.dropped(.falseMAC)) == 3)
        #expect(parts.receiveDirect(frame).payload != nil)
        // A third identity's payload is of no key of this link.
        let other = try parts.directFrame(author.sign(request, at: now), of: 9)
        #expect(ends(parts.receiveDirect(other).effects) == ["violation"])
    }

    @Test func `a payload that was asked for is history, however old`() {
        let old = author.sign(text("long ago"), at: now.moved(by: -3_600_000))
        let frame = old.signed.frame(hops: 1)
        #expect(parts.receive(frame).payload == nil && parts.value(.dropped(.stale)) == 1)
        #expect(parts.offer([old.id.prefix]) == 1)
        let admitted = parts.receive(frame).payload
        guard let admitted, case .history(neighbour.id) = admitted.origin else {
            Issue.record("\(admitted as Any)")
            return
        }
        #expect(admitted.askedAt == now && !admitted.isLive)
    }

    @Test func `a payload that was asked for and is no history is counted, and not asked for again`() {
        let presence = author.signPresence(at: now)
        #expect(parts.offer([presence.id.prefix]) == 1)
        #expect(parts.receive(presence.signed.frame(hops: 1)).payload == nil)
        #expect(parts.value(.dropped(.notHistory)) == 1)
        #expect(parts.router.publicChat.lacking([presence.id.prefix]).isEmpty)
    }

    @Test func `a malformed payload that was asked for is counted, and not asked for again`() throws {
        var frame = author.sign(text("hello"), at: now).signed.frame(hops: 1)
        frame.insert(0, at: frame.count - SignedPayload.signatureBytes)
        let body = Array(frame.dropFirst())
        let malformed = PayloadFrame.id(of: body.span)
        let id = try #require(malformed).prefix
        #expect(parts.offer([id]) == 1)
        #expect(parts.receive(frame).payload == nil && parts.value(.dropped(.malformed)) == 1)
        let isAwaited = parts.history.isAwaited(id, from: neighbour.id)
        #expect(!isAwaited && parts.router.publicChat.lacking([id]).isEmpty)
    }

    @Test func `a presence of an answer comes by the roster, if digests were sent`() {
        let frame = author.signPresence(at: now).signed.frame(hops: 1)
        #expect(parts.receiveRoster(frame).payload == nil && parts.value(.payloadsReceived) == 0)
        parts.crowd.expectAnswer(on: parts.link.id, now: parts.bench.start)
        let admitted = parts.receiveRoster(frame).payload
        guard let admitted, case .roster(from: neighbour.id, isKept: false, bridge: .unknown) = admitted.origin else {
            Issue.record("\(admitted as Any)")
            return
        }
        #expect(!admitted.isPlain && admitted.link?.id == parts.link.id)
        let message = author.sign(text("hello"), at: now).signed.frame(hops: 1)
        #expect(parts.receiveRoster(message).payload == nil && parts.value(.dropped(.misdirected)) == 1)
    }

    private func seal(_ payload: VerifiedPayload, with certificate: Certificate) throws -> [UInt8] {
        var randomness = Randomness.seeded(5)
        let endpoint: [UInt8] = [10, 0, 0, 9, 1, 2]
        return try #require(
            SealedMessage.frame(
                sealing: payload, under: try parts.key(of: 9), with: certificate, to: parts.ours, endpoint: endpoint,
                using: &randomness))
    }

    @Test func `a sealed payload proves its author by the certificate that came with it`() throws {
        let certificate = PartsBench.certificate(of: 9)
        let payload = author.sign(.dmAccept(target: parts.bench.me), at: now)
        let (admitted, effects) = parts.receiveSealed(try seal(payload, with: certificate))
        guard let admitted, case .sealed(from: neighbour.id, by: certificate, _) = admitted.origin else {
            Issue.record("\(admitted as Any)")
            return
        }
        #expect(admitted.endpoint == [10, 0, 0, 9, 1, 2])
        #expect(parts.intake.certificate(of: author.id, now: parts.bench.start) == certificate)
        let paths = effects.compactMap { effect -> [PeerID]? in
            if case .recordPath(let peer, let neighbour) = effect { [peer, neighbour] } else { nil }
        }
        #expect(paths == [[author.id, neighbour.id]])
    }

    @Test func `a sealed payload of another than its certificate's author is refused without a penalty`() throws {
        let payload = author.sign(.dmAccept(target: parts.bench.me), at: now)
        let (admitted, effects) = parts.receiveSealed(try seal(payload, with: PartsBench.certificate(of: 10)))
        #expect(admitted == nil && effects.isEmpty && parts.value(.dropped(.badCertificate)) == 1)
        #expect(parts.intake.certificate(of: PartsBench.session(of: 10).id, now: parts.bench.start) == nil)
    }

    @Test func `a payload from the broker is live, and one that is late is history`() throws {
        let bridge = try #require(parts.bridgePeer)
        let certificate = PartsBench.certificate(of: 9)
        let live = parts.deliver(author.sign(text("now"), at: now), with: certificate).payload
        guard let live, case .broker(bridge, isHistory: false) = live.origin else {
            Issue.record("\(live as Any)")
            return
        }
        #expect(live.askedAt == nil && live.link == nil && live.payload.isBridged)
        let age = Int64(Limits.freshnessMilliseconds) + 1
        let late = parts.deliver(author.sign(text("late"), at: now.moved(by: -age)), with: certificate).payload
        guard let late, case .broker(bridge, isHistory: true) = late.origin else {
            Issue.record("\(late as Any)")
            return
        }
        #expect(late.askedAt == now && !late.isLive)
    }

    @Test func `a payload from the broker with the certificate of another is refused`() {
        let result = parts.deliver(author.sign(text("hello"), at: now), with: PartsBench.certificate(of: 10))
        #expect(result.payload == nil && parts.value(.bridgeRefused) == 1 && parts.value(.payloadsReceived) == 0)
    }

    @Test func `the author, the room and the signature are checked in this order`() {
        let payload = author.sign(text("hello"), at: now)
        func receive(hops: UInt8, isOfRoom: Bool) -> [String] {
            var frame = payload.signed.frame(hops: hops)
            frame[frame.count - 1] ^= 1
            // Behind the frame's type and the hops.
            if !isOfRoom { frame[2] ^= 1 }
            let (admitted, effects) = parts.receive(frame)
            #expect(admitted == nil)
            return ends(effects)
        }
        #expect(receive(hops: 0, isOfRoom: false) == ["violation"] && parts.value(.dropped(.foreignAuthor)) == 1)
        #expect(receive(hops: 1, isOfRoom: false) == [] && parts.value(.dropped(.otherRoom)) == 1)
        #expect(receive(hops: 1, isOfRoom: true) == ["ban"] && parts.value(.dropped(.badSignature)) == 1)
        #expect(parts.value(.payloadsReceived) == 3)
    }

    private func receiveCertificate(_ bytes: [UInt8]) -> [Effect] {
        var effects = Effects()
        parts.intake.receiveCertificate(
            bytes.span, on: parts.link, &parts.crowd, &parts.bridge, parts.router.roster, parts.bench.links,
            parts.bench.environment(.mesh), &effects)
        return effects.list
    }

    @Test func `a certificate on a link makes a path, a forged one bans the neighbour`() {
        let certificate = PartsBench.certificate(of: 9)
        let effects = receiveCertificate(certificate.bytes)
        guard effects.count == 1, case .recordPath(to: author.id, via: neighbour.id) = effects[0] else {
            Issue.record("\(effects)")
            return
        }
        var forged = PartsBench.certificate(of: 10).bytes
        forged[forged.count - 1] ^= 1
        #expect(ends(receiveCertificate(forged)) == ["ban"])
        let own = receiveCertificate(PartsBench.certificate(of: 7_000).bytes)
        #expect(own.count == 1 && own.contains { if case .receiveOwn = $0 { true } else { false } })
    }
}
