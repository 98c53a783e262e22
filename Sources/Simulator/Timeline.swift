import ChatNode
import Synchronization
package import Wire

/// Virtual time and the one queue of everything that happens in it: nothing runs, and no time passes, unless pumped.
///
/// All nodes of a simulation share it, so a run is a sequence: the same seed gives the same one.
package final class Timeline: Sendable {
    @safe enum Job: Sendable {
        case closure(@Sendable () -> Void)
        case task(UnownedJob, on: UnownedSerialExecutor)
    }

    private struct State {
        var now = Instant(nanoseconds: 0)
        var isRunning = false
        var jobs: [Job] = []
        var hooks: [Confined<() -> Void>] = []
        var alarms = TimerHeap<Confined<() -> Void>>()
        var eventCount = 0
    }

    private let state = Mutex(State())

    package init() {}

    /// When the simulated world began: 2026-01-01T00:00:00Z.
    package static let epoch = Timestamp(milliseconds: 1_767_225_600_000)

    package var now: Instant { state.withLock { $0.now } }

    /// How many alarms have gone off: packets that arrived, deadlines that passed.
    package var eventCount: Int { state.withLock { $0.eventCount } }

    package var wallClock: Timestamp {
        Timestamp(milliseconds: Timeline.epoch.milliseconds + UInt64(now.nanoseconds / 1_000_000))
    }

    /// Nothing of what was to come happens any more.
    package func forget() {
        let forgotten = state.withLock { state in
            defer { state = State(now: state.now, eventCount: state.eventCount) }
            return state
        }
        // Let go outside the lock: what is let go may come back here.
        _ = consume forgotten
    }

    var isRunning: Bool { state.withLock { $0.isRunning } }

    func enqueue(_ job: Job) {
        state.withLock { $0.jobs.append(job) }
    }

    func schedule(at instant: Instant, _ job: @escaping () -> Void) {
        let job = Confined(job)
        state.withLock { $0.alarms.insert(job, at: max(instant, $0.now)) }
    }

    func atEndOfTurn(_ job: @escaping () -> Void) {
        let job = Confined(job)
        state.withLock { $0.hooks.append(job) }
    }

    /// Runs `body` as if on the nodes' executor, and all that follows from it without time passing.
    package func perform<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        let outermost = begin()
        defer { if outermost { settleAndEnd() } }
        return try body()
    }

    /// Lets `duration` pass.
    package func advance(by duration: Duration) {
        let end = now + duration
        perform {}
        while step(notBeyond: end) {}
        state.withLock { $0.now = end }
    }

    /// Lets time pass until `condition` holds, at most `limit`; tells whether it came to hold.
    package func advance(atMost limit: Duration, until condition: () -> Bool) -> Bool {
        let end = now + limit
        perform {}
        while !condition() {
            guard step(notBeyond: end) else {
                state.withLock { $0.now = end }
                return condition()
            }
        }
        return true
    }

    /// Lets time pass until the next alarm, however far it is; false if there is none.
    package func advanceToNext() -> Bool {
        perform {}
        return step(notBeyond: Instant(nanoseconds: .max))
    }

    /// Moves to the next alarm and runs it, and those of the same instant, with all that follows; false if none is due by `end`.
    private func step(notBeyond end: Instant) -> Bool {
        let alarms: [Confined<() -> Void>] = state.withLock { state in
            guard let next = state.alarms.nextDeadline, next <= end else { return [] }
            state.now = next
            let due = state.alarms.removeDue(at: next)
            state.eventCount += due.count
            return due
        }
        for alarm in alarms { perform(alarm.value) }
        return !alarms.isEmpty
    }

    private func begin() -> Bool {
        state.withLock { state in
            defer { state.isRunning = true }
            return !state.isRunning
        }
    }

    private func settleAndEnd() {
        while true {
            let (jobs, hooks) = state.withLock { state in
                let jobs = state.jobs
                let hooks = jobs.isEmpty ? state.hooks : []
                state.jobs = []
                if jobs.isEmpty { state.hooks = [] }
                return (jobs, hooks)
            }
            guard !jobs.isEmpty || !hooks.isEmpty else { break }
            for job in jobs { run(job) }
            for hook in hooks { hook.value() }
        }
        state.withLock { $0.isRunning = false }
    }

    private func run(_ job: Job) {
        switch job {
        case .closure(let closure): closure()
        case .task(let job, let executor): unsafe job.runSynchronously(on: executor)
        }
    }
}
