import Chat
import Noise
import Testing
import Wire

@testable import ChatNode

/// Our own run beside other sessions of the identity, as a value without links.
@Suite struct OwnSessionTests {
    private func environment(after time: Duration, isRunning: Bool = true) -> Environment {
        let moment = Moment(instant: Instant(nanoseconds: 0) + time, wallClock: Timestamp(milliseconds: 0))
        return Environment(
            moment: moment, me: ChoiceTown.peer(0), mode: .mesh, isCrowd: false,
            isRunning: isRunning)
    }

    @Test func `a better certificate is outbid in the first 15 s of a run, and signs out later`() {
        var runs = Runs(identitySeed: 1)
        var randomness = Randomness.seeded(35)
        let (ours, better) = (runs.certificate(epoch: 10), runs.certificate(epoch: 20))
        let key = StaticKey(KeyPair.generate(using: &randomness))
        var own = OwnSession(LinkContext(certificate: ours, staticKey: key, room: .lobby))
        let before = own.decide(between: better, environment(after: .zero))
        own.start(now: Instant(nanoseconds: 0))
        let answers = [
            before, own.decide(between: better, environment(after: .seconds(14), isRunning: false)),
            own.decide(between: better, environment(after: .seconds(14))),
            own.decide(between: better, environment(after: .seconds(15))),
        ]
        #expect(answers == [.stay, .stay, .reissue(epoch: 21), .signOut])
        #expect(own.age(now: Instant(nanoseconds: 0) + .seconds(15)) == .seconds(15))
    }

    @Test func `a renewed certificate has the session's epoch, a new dm key and the next serial`() {
        var runs = Runs(identitySeed: 1)
        var randomness = Randomness.seeded(35)
        let key = StaticKey(KeyPair.generate(using: &randomness))
        var session = UserSession(
            identity: Identity.generate(using: &randomness), room: Room.lobby.id, epoch: 10, nickname: "otter")
        let first = session.certify(noise: key.publicKey, dm: runs.key(), serial: 7)
        let own = OwnSession(LinkContext(certificate: first, staticKey: key, room: .lobby))
        session.advance(to: 21)
        let dm = runs.key()
        var effects = Effects()
        own.renewCertificate(in: session, dm: dm, Connections(me: session.id), &effects)
        #expect(own.certificate.epoch == 21 && own.certificate.serial == 8 && own.certificate.dm == dm)
        #expect(own.certificate.noise == first.noise && effects.isEmpty)
    }
}
