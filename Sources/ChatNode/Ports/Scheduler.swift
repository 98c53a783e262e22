package import Wire

/// A port: the executor of the owner of nodes, with its clocks. The event loop and the simulator's manual executor are it.
///
/// One *turn* is: events, then jobs, then due timers, then what was asked for the end of the turn.
package protocol Scheduler: JobExecutor {
    /// The monotonic time, read once a turn.
    var now: Instant { get }

    /// The wall-clock time.
    var wallClock: Timestamp { get }

    /// A function for any thread that runs `body` with each event on the executor, in the order of the calls. On the executor only.
    func receiver<Event: Sendable>(_ body: @escaping (Event) -> Void) -> @Sendable (Event) -> Void

    /// Begins `task` behind the jobs that wait, in the isolation of an actor on the executor. On the executor only.
    func begin(_ task: @escaping @Sendable (isolated any Actor) async -> Void)

    /// Runs `job` once, not before `instant`. On the executor only. It can not be taken back: the job looks whether it is still due.
    func schedule(at instant: Instant, _ job: @escaping () -> Void)

    /// Runs `job` once when this turn's events, jobs and timers are through. On the executor only.
    func atEndOfTurn(_ job: @escaping () -> Void)
}
