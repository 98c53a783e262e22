package import Wire

/// An executor that runs closures too.
package protocol JobExecutor: SerialExecutor {
    /// Runs `job` on the executor, in the order of the calls. From any thread.
    func execute(_ job: @escaping @Sendable () -> Void)
}

/// An actor that lives on such an executor, which calls it back.
///
/// The type of a callback can not say on which thread it comes. So the step from there into the actor is taken here, where
/// the executor checks it: `callback` traps on any other thread. All ways in are made of it, and none keeps the actor alive
/// unless its name says so.
package protocol ExecutorActor: Actor {
    nonisolated var executor: any JobExecutor { get }
}

extension ExecutorActor {
    package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    /// A function that runs `body` at once, for a caller on the executor. It does nothing when the actor is gone.
    package nonisolated func callback(
        _ body: @escaping @Sendable (isolated Self) -> Void
    ) -> @Sendable () -> Void {
        { [weak self] in self?.assumeIsolated(body) }
    }

    /// Likewise, with what the caller says.
    package nonisolated func callback<Argument: Sendable>(
        _ body: @escaping @Sendable (isolated Self, Argument) -> Void
    ) -> @Sendable (Argument) -> Void {
        { [weak self] argument in self?.assumeIsolated { body($0, argument) } }
    }

    /// Runs `body` in a later turn, in the order of the calls. From any thread.
    package nonisolated func execute(_ body: @escaping @Sendable (isolated Self) -> Void) {
        executor.execute(callback(body))
    }

    /// Likewise, and keeps the actor alive until then, because others wait for what `body` does.
    package nonisolated func executeRetained(_ body: @escaping @Sendable (isolated Self) -> Void) {
        execute { [kept = self] in
            _ = kept
            body($0)
        }
    }
}

/// An actor that lives on a scheduler.
package protocol LoopActor: ExecutorActor {
    nonisolated var scheduler: any Scheduler { get }
}

extension LoopActor {
    package nonisolated var executor: any JobExecutor { scheduler }

    /// Runs `body` once, not before `instant`.
    package func schedule(at instant: Instant, _ body: @escaping @Sendable (isolated Self) -> Void) {
        scheduler.schedule(at: instant, callback(body))
    }

    /// Runs `body` once, not before `pause` from the start of this turn.
    package func schedule(after pause: Duration, _ body: @escaping @Sendable (isolated Self) -> Void) {
        schedule(at: scheduler.now + pause, body)
    }
}
