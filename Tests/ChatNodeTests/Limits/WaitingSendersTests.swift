import Testing
import Wire

@testable import ChatNode

/// Senders that wait for the network.
@Suite struct WaitingSendersTests {
    private let start = Instant(nanoseconds: 0)

    /// Appends a sender and waits until it is resumed, which `act` does.
    private func wait(_ senders: inout WaitingSenders, _ act: (inout WaitingSenders) -> Void) async {
        var waiting = senders
        await withCheckedContinuation { sender in
            waiting.append(sender)
            act(&waiting)
            guard waiting.count > 0 else { return }
            Issue.record("a sender waits on")
            waiting.resume()
        }
        senders = waiting
    }

    @Test func `senders are resumed at the earliest time that was named, and once`() async {
        var senders = WaitingSenders()
        for time in [5, 2, 7] { senders.resume(at: start + .seconds(time)) }
        #expect(senders.nextDeadline == start + .seconds(2))
        await wait(&senders) {
            #expect($0.count == 1)
            $0.tick()
        }
        #expect(senders.nextDeadline == nil)
        // A sender that is resumed twice would end the process.
        senders.tick()
        senders.resume(at: start + .seconds(9))
        #expect(senders.nextDeadline == start + .seconds(9))
    }

    @Test func `an event resumes senders before their time, which stays for later ones`() async {
        var senders = WaitingSenders()
        senders.resume(at: start + .seconds(2))
        await wait(&senders) { $0.resume() }
        #expect(senders.count == 0)
        #expect(senders.nextDeadline == start + .seconds(2))
    }
}
