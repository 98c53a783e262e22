import ChatNode
import Synchronization
package import Wire

/// One thread that waits for descriptors, timers and jobs, and is the executor of the actors that live on it.
///
/// A turn is: events, jobs, due timers, end-of-turn hooks. Functions marked *on the loop* trap on any other thread.
///
/// Unchecked, because the compiler can not see that one thread at a time runs the loop and that all unguarded state is
/// touched on it alone (`checkIsolated`); the state that other threads touch is in `queue`, `thread` and the atomics.
package final class EventLoop: Scheduler, TaskExecutor, @unchecked Sendable {
    /// How long jobs may keep descriptors and timers waiting in one turn.
    private static let jobTime = Duration.milliseconds(5)
    static let longestWait = Duration.seconds(30)

    package let name: String
    private let niceness: CInt
    private let queue: JobQueue
    private let thread = LoopThread()
    private let longest = Atomic<Int64>(0)
    private let latest = Atomic<Int64>(0)
    private let turnCount = Atomic<Int>(0)

    private struct Timer {
        let ring: () -> Void
    }

    private struct Hook {
        let run: () -> Void
    }

    private var poller: Poller
    private var timers = TimerHeap<Timer>()
    /// That of `timers`, which is looked at twice each turn.
    private var nextDeadline: Instant?
    private var hooks: [Hook] = []
    /// Jobs taken from the queue and not run yet, the oldest last.
    private var backlog: [JobQueue.Job] = []
    private var turnStart = Instant.monotonic
    private var isStopping = false

    /// - Parameters:
    ///   - name: the name of the thread; 15 bytes are shown.
    ///   - niceness: from 0 to 19, how much the thread that `start` makes gives way to others (nice(2)).
    package init(name: String, niceness: CInt = 0) throws(SystemError) {
        self.name = name
        self.niceness = niceness
        queue = try JobQueue()
        poller = try Poller()
        try poller.addWakeUp(queue.wakeUp.number)
    }

    /// Runs the loop on a thread of its own. Once.
    ///
    /// - Throws: the system's refusal of a thread.
    package func start() throws(SystemError) {
        try thread.start(name: name, niceness: niceness) { self.run() }
    }

    /// Runs the loop on the calling thread until it is stopped. Once.
    package func run() {
        SignalStack.use {
            thread.enter()
            turnStart = .monotonic
            while !isStopping { turn() }
            finish()
            thread.exit()
        }
    }

    /// Ends the loop after the jobs that were submitted before, and blocks until its thread has ended. Its watches, timers
    /// and later jobs are dropped. On the loop itself it returns at once.
    package func stop() {
        execute { [weak self] in self?.isStopping = true }
        thread.join()
    }

    /// Computes a value on a thread of its own, as the threads of the runtime end the process where their descriptors are refused.
    ///
    /// - Throws: the system's refusal of the thread.
    package static func compute<Value: Sendable>(
        onThreadNamed name: String, _ body: @escaping @Sendable () -> Value
    ) async throws(SystemError) -> Value {
        let loop = try EventLoop(name: name)
        try loop.start()
        let value = await withCheckedContinuation { end in loop.execute { end.resume(returning: body()) } }
        await loop.end()
        return value
    }

    /// Ends the loop as `stop` does, and returns when it has ended; the calling thread is free meanwhile. Not on the loop.
    package func end() async {
        await withCheckedContinuation { continuation in
            thread.detach { continuation.resume() }
            execute { [weak self] in self?.isStopping = true }
        }
    }
}

/// The clocks of the loop and what it took.
extension EventLoop {
    /// The monotonic time at the start of the turn; off the loop, of the call.
    package var now: Instant { thread.isCurrent ? turnStart : .monotonic }

    package var wallClock: Timestamp { .wall }

    /// Timers that have not run yet. On the loop.
    var timerCount: Int {
        checkIsolated()
        return timers.count
    }

    /// Turns so far. From any thread.
    package var turns: Int { turnCount.load(ordering: .relaxed) }

    /// The longest time from waking up to the next wait so far: the longest that an event may have waited. From any thread.
    package var longestTurn: Duration { .nanoseconds(longest.load(ordering: .relaxed)) }

    /// The length of the last turn that has ended. From any thread.
    package var latestTurn: Duration { .nanoseconds(latest.load(ordering: .relaxed)) }
}

/// Jobs, timers and hooks.
extension EventLoop {
    package func execute(_ job: @escaping @Sendable () -> Void) {
        queue.append(.closure(job))
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        queue.append(.actor(UnownedJob(job)))
    }

    /// Runs a task on the loop, between its calls of actors too. From any thread.
    ///
    /// The runtime would run it on threads of its own: one more wakes for each continuation that resumes the task, and one each
    /// second for as long as the process lives.
    package func launch(_ task: @escaping @Sendable () async -> Void) {
        Task(executorPreference: self, operation: task)
    }

    /// Runs `job` once, not before `instant` and not before the caller has returned. On the loop.
    package func schedule(at instant: Instant, _ job: @escaping () -> Void) {
        checkIsolated()
        timers.insert(Timer(ring: job), at: instant)
        nextDeadline = .earlier(nextDeadline, instant)
    }

    package func atEndOfTurn(_ job: @escaping () -> Void) {
        checkIsolated()
        hooks.append(Hook(run: job))
    }
}

/// Descriptors.
extension EventLoop {
    /// Calls `handler`, which is kept, whenever `descriptor` is ready, until `unwatch`. On the loop. Unwatch before closing.
    ///
    /// - Throws: the refusal of the kernel: regular files can not be watched (`EPERM`), nor is any without memory for it.
    package func watch(
        _ descriptor: CInt, _ interest: Interest, _ handler: any DescriptorHandler
    ) throws(SystemError) {
        checkIsolated()
        try poller.add(descriptor, interest, handler)
    }

    /// Watches for something else. On the loop.
    package func change(_ descriptor: CInt, to interest: Interest) {
        checkIsolated()
        poller.change(descriptor, to: interest)
    }

    /// Lets go of the handler, which is not told any more, not even of what has already happened. On the loop.
    package func unwatch(_ descriptor: CInt) {
        checkIsolated()
        _ = poller.remove(descriptor)
    }
}

/// How actors on the loop, and the functions above, know where they are.
extension EventLoop {
    package func checkIsolated() {
        precondition(thread.isCurrent, "not on the thread of the event loop \(name)")
    }

    package func isIsolatingCurrentContext() -> Bool? {
        thread.isCurrent
    }
}

/// The turn: events, jobs, due timers, hooks.
extension EventLoop {
    private func turn() {
        let count = wait()
        turnStart = .monotonic
        for index in 0..<count {
            guard let event = poller.event(at: index) else { continue }
            event.handler.ready(event.descriptor, event.readiness)
        }
        runJobs()
        runTimers()
        runHooks()
        turnCount.add(1, ordering: .relaxed)
    }

    private func wait() -> Int {
        let turnEnd = Instant.monotonic
        let length = (turnEnd - turnStart).nanoseconds
        longest.max(length, ordering: .relaxed)
        latest.store(length, ordering: .relaxed)
        guard backlog.isEmpty, hooks.isEmpty, queue.prepareToSleep() else { return poller.wait(.zero) }
        defer { queue.wake() }
        return poller.wait(nextDeadline.map { Self.pause(until: $0, at: turnEnd) })
    }

    /// How long to wait for a deadline. The kernel's wait does not count a suspension of the machine, which the clock does, so a
    /// loop looks at the clock again soon after each.
    package static func pause(until deadline: Instant, at now: Instant) -> Duration {
        min(deadline - now, longestWait)
    }

    private func runJobs() {
        var next = nextJob()
        guard next != nil else { return }
        let end = Instant.monotonic + EventLoop.jobTime
        var count = 0
        while let job = next {
            run(job)
            count += 1
            // The clock costs as much as a small job: it is read for every sixteenth.
            if count.isMultiple(of: 16), Instant.monotonic >= end { return }
            next = nextJob()
        }
    }

    private func nextJob() -> JobQueue.Job? { queue.next(from: &backlog) }

    private func run(_ job: JobQueue.Job) {
        switch job {
        case .closure(let closure): closure()
        case .actor(let job): unsafe job.runSynchronously(on: asUnownedSerialExecutor())
        }
    }

    private func runTimers() {
        guard let nextDeadline, nextDeadline <= turnStart else { return }
        let due = timers.removeDue(at: turnStart)
        self.nextDeadline = timers.nextDeadline
        for timer in due { timer.ring() }
    }

    private func runHooks() {
        guard !hooks.isEmpty else { return }
        var due = exchange(&hooks, with: [])
        if due.count > 1 { due.reverse() }
        while let hook = due.popLast() { hook.run() }
        // The buffer is used again, unless a hook has asked for another.
        if hooks.isEmpty { hooks = due }
    }

    /// Runs the jobs that were submitted before the end and releases everything, so that an ended loop keeps no object
    /// alive.
    private func finish() {
        runJobs()
        queue.close()
        // Taken out first and then released: objects that end with them may call in again.
        _ = exchange(&backlog, with: [])
        _ = exchange(&hooks, with: [])
        _ = exchange(&timers, with: TimerHeap())
        nextDeadline = nil
        _ = poller.removeAll()
    }
}
