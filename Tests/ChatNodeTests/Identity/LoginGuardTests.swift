import Noise
import Testing
import Wire

@testable import ChatNode

@Suite struct LoginGuardTests {
    private let young = Limits.reissueTime - .nanoseconds(1)

    @Test func `a worse or the same certificate changes nothing, at any age`() {
        var runs = Runs(identitySeed: 1)
        let ours = runs.certificate(epoch: 10)
        let worse = runs.certificate(epoch: 9)
        var login = LoginGuard()
        for age in [Duration.zero, young, .seconds(86_400)] {
            let answers = [
                login.meet(worse, ours: ours, sinceStart: age), login.meet(ours, ours: ours, sinceStart: age),
            ]
            #expect(answers == [.stay, .stay])
        }
    }

    @Test func `within 15 s of the start a better one is outbid, twice at most`() {
        var runs = Runs(identitySeed: 1)
        let ours = runs.certificate(epoch: 10)
        var login = LoginGuard()
        let answers = [20, 30, 40].map { login.meet(runs.certificate(epoch: $0), ours: ours, sinceStart: young) }
        #expect(answers == [.reissue(epoch: 21), .reissue(epoch: 31), .signOut])
    }

    @Test func `from 15 s on a better one signs out`() {
        var runs = Runs(identitySeed: 1)
        let ours = runs.certificate(epoch: 10)
        let better = runs.certificate(epoch: 11)
        var login = LoginGuard()
        let answer = login.meet(better, ours: ours, sinceStart: Limits.reissueTime)
        #expect(answer == .signOut)
    }

    @Test func `of two with one epoch exactly one gives way`() {
        var runs = Runs(identitySeed: 1)
        let first = runs.certificate(epoch: 10)
        let second = runs.certificate(epoch: 10)
        var logins = [LoginGuard(), LoginGuard()]
        let answers = [
            logins[0].meet(second, ours: first, sinceStart: .seconds(60)),
            logins[1].meet(first, ours: second, sinceStart: .seconds(60)),
        ]
        #expect(answers.count(where: { $0 == .signOut }) == 1)
        #expect(answers.count(where: { $0 == .stay }) == 1)
    }

    @Test func `the last epoch there is can not be outbid`() {
        var runs = Runs(identitySeed: 1)
        let ours = runs.certificate(epoch: 10)
        let last = runs.certificate(epoch: .max)
        var login = LoginGuard()
        let answer = login.meet(last, ours: ours, sinceStart: .zero)
        #expect(answer == .signOut)
    }
}
