import Chat
import Noise
import Testing
import Wire

@testable import ChatNode

/// The course of a node, as a value.
final class LifecycleTests {
    private let bench = LinkBench()
    private var lifecycle = Lifecycle()
    private var router = MessageRouter(session: PartsBench.session(of: 7_000))

    private func environment(after time: Duration = .zero) -> Environment { bench.environment(.mesh, after: time) }

    private func leave(isWiped: Bool = false) -> [Effect] {
        var effects = Effects()
        bench.change { lifecycle.leave(because: .failed("x"), isWiped, &$0, dials: [], environment(), &effects) }
        return effects.list
    }

    private func goOn(after time: Duration = .zero) -> [Effect] {
        var effects = Effects()
        bench.change { lifecycle.goOn(&$0, &router, environment(after: time), &effects) }
        return effects.list
    }

    private func tick(after time: Duration) -> [Effect] {
        var effects = Effects()
        bench.change { lifecycle.tick(&$0, &router, environment(after: time), &effects) }
        return effects.list
    }

    private func end(_ link: LinkInfo) {
        var effects = Effects()
        bench.change { $0.end(link, .leaving, environment(), &effects) }
    }

    /// The links that ended because a peer did not take all bytes in time.
    private func ended(_ effects: [Effect]) -> [ConnectionID] {
        effects.compactMap { effect in
            guard case .link(.down(let down)) = effect, case .leaving = down.closing else { return nil }
            return down.link.id
        }
    }

    private func isStop(_ effects: [Effect]) -> Bool {
        if case .then(.stop) = effects.last { true } else { false }
    }

    @Test func `a node starts once, and never after it was stopped`() {
        #expect(lifecycle.mayStart() && !lifecycle.isRunning)
        lifecycle.start()
        #expect(lifecycle.isRunning && !lifecycle.mayStart())
        var other = Lifecycle()
        let isSkipped = [lifecycle.skip(), other.skip(), other.skip()]
        #expect(isSkipped == [false, true, false], "a node that runs has to leave")
        #expect(lifecycle.isRunning && other.isStopped && !other.mayStart())
    }

    @Test func `a node that leaves gives receipts 1 s and bytes 10 s, and stops behind its last link`() throws {
        let (waiting, quiet) = (bench.link(to: 1), bench.link(to: 2))
        let peer = try #require(waiting.peer)
        router = MessageRouter(session: PartsBench.session(of: 7_000), accepted: [peer])
        _ = router.linkOpened(peer, at: environment().moment)
        router.linkReady(peer)
        _ = try router.send("last words", to: .direct(peer), at: environment().moment)
        let isAwaited = router.awaitsReceipts(from: peer)
        try #require(isAwaited)
        lifecycle.start()
        #expect(goOn().isEmpty, "a node that runs stays")
        let left = leave()
        #expect(lifecycle.isLeaving && !lifecycle.isRunning && lifecycle.reason == .failed("x"))
        #expect(left.contains { if case .arm(.leaving) = $0 { true } else { false } })
        #expect([waiting, quiet].map(\.queuedBytes) == [0, 0], "all is written")
        #expect(lifecycle.nextDeadline == bench.start + .seconds(1))
        #expect(goOn(after: .milliseconds(999)).isEmpty)
        #expect(!waiting.isFinishing && !quiet.isFinishing, "the last link to end would show the receiver")
        _ = tick(after: .seconds(1))
        #expect(waiting.isFinishing && quiet.isFinishing)
        #expect(lifecycle.nextDeadline == bench.start + .seconds(10))
        end(quiet)
        #expect(goOn(after: .seconds(2)).isEmpty, "one link is left")
        #expect(ended(tick(after: .seconds(10))) == [waiting.id])
        #expect(lifecycle.nextDeadline == nil)
        let last = goOn(after: .seconds(10))
        #expect(last.count == 2 && isStop(last))
        guard case .apply(let outcome)? = last.first, case .failed(let who, _)? = outcome.events.first else {
            Issue.record("the message without a receipt is not given up")
            return
        }
        #expect(who.key == peer)
        #expect(goOn().isEmpty, "a node stops once")
    }

    @Test func `a node that is wiped awaits no receipt, and gives bytes 1 s`() {
        let link = bench.link(to: 1)
        lifecycle.start()
        _ = leave(isWiped: true)
        #expect(lifecycle.nextDeadline == bench.start + .seconds(1))
        #expect(ended(tick(after: .seconds(1))) == [link.id])
        #expect(lifecycle.nextDeadline == nil)
    }

    @Test func `a node announces itself once, while it runs`() {
        let early = lifecycle.enter()
        lifecycle.start()
        let entries = [early, lifecycle.enter(), lifecycle.enter()]
        #expect(entries == [false, true, false])
        lifecycle = Lifecycle()
        lifecycle.start()
        _ = leave()
        let isLate = lifecycle.enter()
        #expect(!isLate)
    }

    @Test func `a node that signs out closes every link at once, and waits for nothing`() {
        let links = [bench.link(to: 1), bench.link(to: 2)]
        lifecycle.start()
        var runs = Runs(identitySeed: 9)
        var effects = Effects()
        bench.change { lifecycle.signOut(because: runs.certificate(epoch: 9), &$0, dials: [], &effects) }
        let closed = effects.list.compactMap { effect -> ConnectionID? in
            if case .close(.link(let id), .signedOut) = effect { id } else { nil }
        }
        #expect(closed == links.map(\.id))
        #expect(lifecycle.isLeaving && lifecycle.reason == .signedOut && lifecycle.nextDeadline == nil)
    }

    @Test func `calls that wait for the end are resumed by it`() async {
        await withCheckedContinuation { caller in
            lifecycle.wait(caller)
            #expect(lifecycle.waitingCount == 1)
            lifecycle.stop()
        }
        #expect(lifecycle.isStopped && lifecycle.waitingCount == 0)
    }
}
