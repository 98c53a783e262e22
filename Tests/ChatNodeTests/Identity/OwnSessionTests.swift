import Chat
import Noise
import Phrases
import Testing
import Wire

@testable import ChatNode

/// Our own run beside other sessions of the identity, as a value.
final class OwnSessionTests {
    private let bench = LinkBench()
    private var runs = Runs(identitySeed: 1)
    private let first: Certificate
    private var own: OwnSession
    private var router: MessageRouter
    private var mail: SealedMail

    init() {
        var randomness = Randomness.seeded(35)
        let key = StaticKey(KeyPair.generate(using: &randomness))
        let session = UserSession(
            identity: Identity.generate(using: &randomness), room: Room.lobby.id, epoch: 10, nickname: "otter")
        first = session.certify(noise: key.publicKey, dm: runs.key(), serial: 7)
        own = OwnSession(LinkContext(certificate: first, staticKey: key, room: .lobby))
        router = MessageRouter(session: session)
        mail = SealedMail(
            NodeConfiguration(), me: first.identity, randomness: .seeded(36), now: Instant(nanoseconds: 0))
    }

    private func environment(
        after time: Duration = .zero, isRunning: Bool = true, isCrowd: Bool = false
    ) -> Environment {
        let moment = Moment(instant: Instant(nanoseconds: 0) + time, wallClock: Timestamp(milliseconds: 0))
        return Environment(
            moment: moment, me: ChoiceTown.peer(0), mode: isCrowd ? .overlay : .mesh, isRunning: isRunning)
    }

    private func receive(
        _ theirs: Certificate, _ environment: Environment
    ) -> (answer: LoginGuard.Verdict, effects: [Effect]) {
        var effects = Effects()
        let answer = own.receive(theirs, &mail, &router, bench.links.connections, environment, &effects)
        return (answer, effects.list)
    }

    @Test func `a better certificate is outbid in the first 15 s of a run, and signs out later`() {
        let better = runs.certificate(epoch: 20)
        let before = receive(better, environment(after: .zero))
        own.start(now: Instant(nanoseconds: 0))
        let steps = [
            before, receive(better, environment(after: .seconds(14), isRunning: false)),
            receive(better, environment(after: .seconds(14))),
            receive(runs.certificate(epoch: 30), environment(after: .seconds(15))),
        ]
        #expect(steps.map(\.answer) == [.stay, .stay, .reissue(epoch: 21), .signOut])
        #expect(own.age(now: Instant(nanoseconds: 0) + .seconds(15)) == .seconds(15))
        #expect(router.session.epoch == 21)
        let kept = steps[2].effects.compactMap { if case .keepEpoch(let epoch) = $0 { epoch } else { nil } }
        #expect(kept == [21])
        guard steps[3].effects.count == 2, case .report(.notice(.signedOut, _)) = steps[3].effects[0],
            case .signOut = steps[3].effects[1]
        else {
            Issue.record("\(steps[3].effects)")
            return
        }
    }

    @Test func `a renewed certificate has the session's epoch, a new dm key and the next serial`() {
        router.advance(to: 21)
        var effects = Effects()
        own.renewCertificate(&mail, &router, Connections(me: router.me), environment(), &effects)
        #expect(own.certificate.epoch == 21 && own.certificate.serial == 8 && own.certificate.dm == mail.publicKey)
        #expect(own.certificate.noise == first.noise && effects.isEmpty)
    }

    @Test func `a renewed certificate goes to every link, and in a crowd behind our presence`() {
        let link = bench.link(to: 2)
        var effects = Effects()
        own.renewCertificate(&mail, &router, bench.links.connections, environment(isCrowd: true), &effects)
        guard effects.list.count == 2, case .send(let frame, to: .link(link.id)) = effects.list[0],
            case .sendSigned(let presence, to: .everyone) = effects.list[1]
        else {
            Issue.record("\(effects.list)")
            return
        }
        #expect(frame == own.certificate.frame(as: .certificate) && presence.type == .presence)
    }

    /// The frames and ends of a link that led to another session of our identity.
    private func meet(_ theirs: Certificate) -> (frames: [[UInt8]], closings: Int) {
        let link = bench.link(to: 3)
        var effects = Effects()
        own.meet(theirs, on: link, &mail, &router, bench.links, environment(after: .seconds(1)), &effects)
        let frames = effects.list.compactMap {
            if case .send(let frame, to: .link(link.id)) = $0 { frame } else { nil }
        }
        let closings = effects.list.count { if case .close(.link(link.id), .ownSession) = $0 { true } else { false } }
        #expect(link.isOurselves)
        return (frames, closings)
    }

    @Test func `a link to another session of ours gets the better certificate before it ends`() {
        own.start(now: Instant(nanoseconds: 0))
        let worse = meet(runs.certificate(epoch: 9))
        #expect(worse.frames == [first.frame(as: .superseded)] && worse.closings == 1)
        let better = meet(runs.certificate(epoch: 20))
        #expect(better.frames == [own.certificate.frame(as: .superseded)] && better.closings == 1)
        #expect(own.certificate.epoch == 21)
    }

    @Test func `an epoch is above those of earlier runs, and up to ten minutes before the start`() {
        var randomness = Randomness.seeded(1)
        let start = Timestamp(milliseconds: 10_000_000)
        let epochs = (0..<100).map { _ in OwnSession.epoch(startingAt: start, above: 0, using: &randomness) }
        let earliest = start.milliseconds - Limits.epochJitterMilliseconds
        #expect(epochs.allSatisfy { (earliest...start.milliseconds).contains($0) } && Set(epochs).count > 90)
        #expect(OwnSession.epoch(startingAt: start, above: 20_000_000, using: &randomness) == 20_000_000)
        // With a clock at the beginning of time, nothing is taken off.
        #expect(OwnSession.epoch(startingAt: Timestamp(milliseconds: 0), above: 7, using: &randomness) == 7)
    }

    @Test func `a session outbids two better ones, and signs out for the third`() {
        own.start(now: Instant(nanoseconds: 0))
        let answers = [20, 30, 40].map { receive(runs.certificate(epoch: $0), environment(after: .seconds(1))).answer }
        #expect(answers == [.reissue(epoch: 21), .reissue(epoch: 31), .signOut])
    }
}
