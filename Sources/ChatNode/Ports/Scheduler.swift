package import Wire

/// A port: the executor of the owner of nodes, with its clocks. The event loop and the simulator's manual executor are it.
///
/// One *turn* is: events, then jobs, then due timers, then what was asked for the end of the turn.
package protocol Scheduler: JobExecutor {
    /// The monotonic time, read once a turn.
    var now: Instant { get }

    /// The wall-clock time.
    var wallClock: Timestamp { get }

    /// Runs `job` once, not before `instant`. On the executor only. It can not be taken back: the job looks whether it is still due.
    func schedule(at instant: Instant, _ job: @escaping () -> Void)

    /// Runs `job` once when this turn's events, jobs and timers are through. On the executor only.
    func atEndOfTurn(_ job: @escaping () -> Void)
}

extension Scheduler {
    /// A function for any thread that runs `body` with each event on the executor, in the order of the calls. On the executor only.
    package func receiver<Event: Sendable>(_ body: @escaping (Event) -> Void) -> @Sendable (Event) -> Void {
        checkIsolated()
        let body = Confined(body)
        return { [self] event in execute { body.value(event) } }
    }

    /// Begins `task` behind the jobs that wait, in the isolation of an actor on the executor. On the executor only.
    package func begin(_ task: @escaping @Sendable (isolated any Actor) async -> Void) {
        let owner = TaskOwner(on: self)
        // The callback does not keep its actor.
        withExtendedLifetime(owner) { owner.callback { $0.begin(task) }() }
    }
}

/// A value that is used on one executor only. Unchecked, because other threads keep and release it without using it.
package struct Confined<Value>: @unchecked Sendable {
    package let value: Value

    package init(_ value: Value) { self.value = value }
}

/// An actor on a scheduler, in whose isolation tasks run.
private actor TaskOwner: LoopActor {
    nonisolated let scheduler: any Scheduler

    init(on scheduler: any Scheduler) { self.scheduler = scheduler }

    func begin(_ task: @escaping @Sendable (isolated any Actor) async -> Void) {
        Task { await task(self) }
    }
}
