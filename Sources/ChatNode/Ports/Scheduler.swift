package import Wire

/// A port: the executor that a node lives on, with its clocks. The event loop and the simulator's manual executor are it.
///
/// One *turn* is: events, then jobs, then due timers, then what was asked for the end of the turn.
package protocol Scheduler: JobExecutor {
    /// The monotonic time, read once a turn.
    var now: Instant { get }

    /// The wall-clock time.
    var wallClock: Timestamp { get }

    /// Runs `job` once, not before `instant`. On the executor only. It can not be taken back: the job looks whether it is still due.
    func schedule(at instant: Instant, _ job: @escaping @Sendable () -> Void)

    /// Runs `job` once when this turn's events, jobs and timers are through. On the executor only.
    func atEndOfTurn(_ job: @escaping @Sendable () -> Void)
}
