import ChatNode
import Synchronization
package import Wire

/// A node's executor in a simulation: the shared timeline, seen through the node's own, perhaps wrong, wall clock.
package final class SimulatedScheduler: Scheduler {
    private let timeline: Timeline
    private let clockError: Mutex<Duration>

    package init(timeline: Timeline, clockError: Duration = .zero) {
        self.timeline = timeline
        self.clockError = Mutex(clockError)
    }

    package var now: Instant { timeline.now }

    package var wallClock: Timestamp {
        let right = Int64(timeline.wallClock.milliseconds)
        let clockError = clockError.withLock { $0 }
        return Timestamp(milliseconds: UInt64(max(0, right + clockError.nanoseconds / 1_000_000)))
    }

    /// Sets the wall clock.
    ///
    /// - Parameter error: its offset from now on.
    func setClock(error: Duration) { clockError.withLock { $0 = error } }

    package func execute(_ job: @escaping @Sendable () -> Void) {
        timeline.enqueue(.closure(job))
    }

    package func schedule(at instant: Instant, _ job: @escaping () -> Void) {
        checkIsolated()
        timeline.schedule(at: instant, job)
    }

    package func atEndOfTurn(_ job: @escaping () -> Void) {
        checkIsolated()
        timeline.atEndOfTurn(job)
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        unsafe timeline.enqueue(.task(UnownedJob(job), on: asUnownedSerialExecutor()))
    }

    package func checkIsolated() {
        precondition(timeline.isRunning, "a simulated node was entered from outside its timeline")
    }

    package func isIsolatingCurrentContext() -> Bool? { timeline.isRunning }
}
