import ChatNode
import Reactor
import Synchronization

/// The thread on which libwebsockets serves, as the executor of the server: no other thread calls the library, but to wake it.
final class WebThread: JobExecutor {
    private enum Job: Sendable {
        case closure(@Sendable () -> Void)
        case actor(UnownedJob)
    }

    private static let jobsPerTurn = 16

    private let thread = LoopThread()
    private let jobs = Mutex<[Job]>([])
    private let wake = Mutex<(@Sendable () -> Void)?>(nil)

    /// Makes the thread.
    ///
    /// - Parameters:
    ///   - wake: lets `body` call `runJobs` soon; called on any thread.
    ///   - body: serves until the server ends.
    /// - Throws: the system's refusal of a thread.
    func start(wake: @escaping @Sendable () -> Void, _ body: @escaping @Sendable () -> Void) throws(SystemError) {
        self.wake.withLock { $0 = wake }
        try thread.start(name: "web", niceness: 0) { [self] in
            thread.enter()
            body()
            self.wake.withLock { $0 = nil }
            thread.exit()
        }
    }

    func execute(_ job: @escaping @Sendable () -> Void) { append(.closure(job)) }

    func enqueue(_ job: consuming ExecutorJob) { append(.actor(UnownedJob(job))) }

    /// Runs some of the jobs that wait, in their order. On the thread. For the others the library is woken again: it writes to its
    /// clients between them, however many events there are.
    func runJobs() {
        let (batch, hasMore) = jobs.withLock { jobs in
            let batch = Array(jobs.prefix(WebThread.jobsPerTurn))
            jobs.removeFirst(batch.count)
            return (batch, !jobs.isEmpty)
        }
        for job in batch {
            switch job {
            case .closure(let body): body()
            case .actor(let job): unsafe job.runSynchronously(on: asUnownedSerialExecutor())
            }
        }
        if hasMore { wake.withLock { $0?() } }
    }

    func checkIsolated() { precondition(thread.isCurrent, "called outside the thread of the web server") }

    func isIsolatingCurrentContext() -> Bool? { thread.isCurrent }

    private func append(_ job: Job) {
        let isFirst = jobs.withLock { jobs in
            jobs.append(job)
            return jobs.count == 1
        }
        if isFirst { wake.withLock { $0?() } }
    }
}
