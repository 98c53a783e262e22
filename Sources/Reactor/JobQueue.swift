internal import CLinux
internal import Glibc
import Synchronization

/// The jobs of a loop, submitted by any thread, in order.
final class JobQueue: Sendable {
    enum Job: Sendable {
        case closure(@Sendable () -> Void)
        case actor(UnownedJob)
    }

    private struct State {
        var jobs: [Job] = []
        var isAsleep = false
        var isClosed = false
    }

    /// An eventfd. The loop watches it edge-triggered and never reads it: each write is a new edge.
    let wakeUp: Descriptor
    private let state = Mutex(State())
    private let handOver = Atomic(false)

    init() throws(SystemError) {
        wakeUp = try Descriptor("eventfd", eventfd(0, CInt(EFD_CLOEXEC | EFD_NONBLOCK)))
    }

    /// Adds a job and wakes the loop if it sleeps; so a job that the loop itself adds costs no system call.
    /// A job that comes after the end of the loop is dropped.
    func append(_ job: Job) {
        let mustWake = withLock { state in
            guard !state.isClosed else { return false }
            state.jobs.append(job)
            defer { state.isAsleep = false }
            return state.isAsleep
        }
        if mustWake { eventfd_write(wakeUp.number, 1) }
    }

    /// The oldest job; nil if there is none. All that wait are moved to `backlog` when that is empty, the oldest last.
    func next(from backlog: inout [Job]) -> Job? {
        if backlog.isEmpty {
            withLock { swap(&$0.jobs, &backlog) }
            guard !backlog.isEmpty else { return nil }
            backlog.reverse()
        }
        return backlog.popLast()
    }

    /// Whether the loop may sleep: from now on the next job writes to `wakeUp`. Not while jobs wait.
    func prepareToSleep() -> Bool {
        withLock { state in
            state.isAsleep = state.jobs.isEmpty
            return state.isAsleep
        }
    }

    /// The loop has woken, for a job or for something else.
    func wake() {
        withLock { $0.isAsleep = false }
    }

    /// Drops what is left and what comes.
    func close() {
        let left = withLock { state in
            state.isClosed = true
            return exchange(&state.jobs, with: [])
        }
        // Released here, outside the lock: an object that a closure held may call in again when it ends.
        _ = left
    }

    /// Under contention `Mutex` goes through library code that the thread sanitizer does not see, so that it reports
    /// races where there are none. An acquire and a release that it does see tell it the order; they cost nothing.
    private func withLock<Result>(_ body: (inout State) -> Result) -> Result {
        state.withLock { state in
            _ = handOver.load(ordering: .acquiring)
            defer { handOver.store(false, ordering: .releasing) }
            return body(&state)
        }
    }
}
