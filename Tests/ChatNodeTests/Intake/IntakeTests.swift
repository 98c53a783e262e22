import Chat
import Noise
import Testing
import Wire

@testable import ChatNode

/// Certificates of other networks, and sealed messages, as a value without links.
@Suite struct IntakeTests {
    private static let start = Instant(nanoseconds: 0)
    private static let me = ChoiceTown.peer(0)
    private let bridge = ChoiceTown.peer(1)
    private var intake = Intake(NodeConfiguration(), me: IntakeTests.me, now: IntakeTests.start)

    private func environment(after time: Duration = .zero) -> Environment {
        let moment = Moment(instant: IntakeTests.start + time, wallClock: Timestamp(milliseconds: 1_800_000_000_000))
        return Environment(
            moment: moment, me: IntakeTests.me, mode: .mesh, isRunning: true)
    }

    /// Takes a certificate from the broker.
    private mutating func learn(
        _ certificate: Certificate, after time: Duration = .zero
    ) -> (isTaken: Bool, effects: [Effect]) {
        var effects = Effects()
        let isTaken = intake.learn(
            certificate, from: bridge, isBridge: true, on: nil, Connections(me: IntakeTests.me),
            environment(after: time), &effects)
        return (isTaken, effects.list)
    }

    @Test mutating func `a superseded certificate is not taken, and the better one stays`() {
        var runs = Runs(identitySeed: 1)
        let (old, better) = (runs.certificate(epoch: 10), runs.certificate(epoch: 11))
        let answers = [learn(better), learn(old)]
        #expect(answers.map(\.isTaken) == [true, false])
        #expect(answers.flatMap(\.effects).isEmpty)
        #expect(intake.certificate(of: runs.id, now: IntakeTests.start) == better)
        #expect(intake.knownCertificate(better.bytes, environment()) == better)
        #expect(intake.knownCertificate(old.bytes, environment()) == nil)
    }

    @Test mutating func `a better certificate is passed on to all but its owner, five at once`() {
        var runs = Runs(identitySeed: 1)
        _ = learn(runs.certificate(epoch: 10))
        var passedOn = 0
        for number in 1...10 as ClosedRange<UInt64> {
            let answer = learn(runs.certificate(epoch: 10 + number))
            for effect in answer.effects {
                if case .send(_, to: .others(than: nil, notTo: runs.id)) = effect { passedOn += 1 }
            }
            #expect(answer.isTaken == (number <= 5))
        }
        #expect(passedOn == Int(Limits.betterCertificatesBurst))
        let later = learn(runs.certificate(epoch: 100), after: .seconds(60))
        #expect(later.isTaken && later.effects.count == 1)
    }

    @Test mutating func `a renewed certificate goes again to links that have had the previous one`() {
        var runs = Runs(identitySeed: 1)
        let noise = runs.key()
        _ = learn(runs.certificate(epoch: 10, noise: noise, serial: 1))
        let certificate = runs.certificate(epoch: 10, noise: noise, serial: 2)
        let renewed = learn(certificate)
        guard renewed.isTaken, renewed.effects.count == 1, case .resend(certificate) = renewed.effects[0] else {
            Issue.record("\(renewed)")
            return
        }
    }
}
