internal import Earshot
internal import ChatNode
internal import Reactor
internal import Simulator
internal import Synchronization
internal import Wire

/// The one thread of a simulated network: nodes and bots run on it, and virtual time passes on it.
///
/// Time passes only while a call waits that counts (`enter`), and only when no job is left to run.
final class NetworkDriver: TaskExecutor {
    let timeline = Timeline()
    /// Sets alarms.
    private let clock: SimulatedScheduler
    private let loop: EventLoop

    private struct State {
        /// Jobs that were submitted and have not ended.
        var pending = 0
        /// Calls that time passes for.
        var waiting = 0
        var isPumping = false
    }

    private let state = Mutex(State())

    init() throws(SystemError) {
        clock = SimulatedScheduler(timeline: timeline)
        loop = try EventLoop(name: "simulation")
        try loop.start()
    }

    /// Whether the caller is on the thread.
    var isCurrent: Bool { loop.isIsolatingCurrentContext() ?? false }

    /// Runs a job on the thread, in the order of the calls. From any thread.
    func submit(_ job: @escaping @Sendable () -> Void) {
        state.withLock { $0.pending += 1 }
        loop.execute { [self] in
            job()
            state.withLock { $0.pending -= 1 }
            beginPumping()
        }
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        submit { [self] in unsafe job.runSynchronously(on: asUnownedTaskExecutor()) }
    }

    /// Lets time pass until `leave`. On the thread.
    func enter() { state.withLock { $0.waiting += 1 } }

    /// On the thread.
    func leave() { state.withLock { $0.waiting -= 1 } }

    /// Returns when so much virtual time has passed, or the task is cancelled.
    ///
    /// - Parameter counts: whether time passes meanwhile.
    func wait(_ duration: Duration, counts: Bool) async {
        let alarm = VirtualAlarm()
        await withTaskCancellationHandler {
            await withCheckedContinuation { caller in
                submit { [self] in
                    guard alarm.begin(caller) else { return }
                    if counts { enter() }
                    schedule(after: duration) { [self] in ring(alarm, counts: counts) }
                }
            }
        } onCancel: {
            submit { [self] in ring(alarm, counts: counts) }
        }
    }

    /// On the thread.
    private func ring(_ alarm: VirtualAlarm, counts: Bool) {
        if alarm.ring(), counts { leave() }
    }

    /// Rings once, when so much virtual time has passed.
    func schedule(after duration: Duration, _ ring: @escaping @Sendable () -> Void) {
        submit { [self] in timeline.perform { clock.schedule(at: timeline.now + duration, ring) } }
    }

    /// Ends the thread, and forgets everything that was to come.
    func end() {
        loop.stop()
        timeline.forget()
    }

    private func beginPumping() {
        let begins = state.withLock { state in
            guard state.waiting > 0, !state.isPumping else { return false }
            state.isPumping = true
            return true
        }
        if begins { loop.execute { [self] in pump() } }
    }

    /// Goes to the next alarm, unless jobs are to run before.
    private func pump() {
        let (goesOn, isReady) = state.withLock { state in
            if state.waiting == 0 { state.isPumping = false }
            return (state.waiting > 0, state.pending == 0)
        }
        guard goesOn else { return }
        if isReady, !timeline.advanceToNext() { return state.withLock { $0.isPumping = false } }
        loop.execute { [self] in pump() }
    }

}

/// The executor of the nodes of a simulated network: its thread, on which they enter the timeline.
final class DrivenScheduler: Scheduler {
    private let driver: NetworkDriver
    private let clock: SimulatedScheduler

    init(_ driver: NetworkDriver) {
        self.driver = driver
        clock = SimulatedScheduler(timeline: driver.timeline)
    }

    var now: Instant { clock.now }

    var wallClock: Timestamp { clock.wallClock }

    func execute(_ job: @escaping @Sendable () -> Void) {
        driver.submit { [driver] in driver.timeline.perform { job() } }
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        execute { [self] in unsafe job.runSynchronously(on: asUnownedSerialExecutor()) }
    }

    func schedule(at instant: Instant, _ job: @escaping () -> Void) { clock.schedule(at: instant, job) }

    func atEndOfTurn(_ job: @escaping () -> Void) { clock.atEndOfTurn(job) }

    func checkIsolated() {
        precondition(driver.isCurrent, "a simulated node was entered from outside its network")
        clock.checkIsolated()
    }

    func isIsolatingCurrentContext() -> Bool? { driver.isCurrent && clock.isIsolatingCurrentContext() == true }
}

/// Lets the time of a simulated network pass while a call of a test waits.
struct SimulatedCarrier: RoomCarrier {
    let driver: NetworkDriver
    /// Nil in the room of a bot, whose task would keep its network for ever.
    let network: SimulatedNetwork?

    func carry<Result: Sendable>(
        _ body: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        // A bot of the network waits for the time that tests let pass.
        guard !driver.isCurrent else { return try await body() }
        let task = Task(executorPreference: driver) { [driver] in
            driver.enter()
            defer { driver.leave() }
            return try await body()
        }
        driver.schedule(after: SimulatedNetwork.callTimeout) { task.cancel() }
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }
}
