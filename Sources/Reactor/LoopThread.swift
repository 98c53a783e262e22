internal import CLinux
internal import Glibc
import Synchronization

/// The thread that a loop runs on: its own, or a borrowed one.
package final class LoopThread: Sendable {
    private let own = Mutex<pthread_t?>(nil)
    /// Called at the end of the run.
    private let atExit = Mutex<(@Sendable () -> Void)?>(nil)
    /// 0 when none runs the loop; no thread has that number.
    private let current = Atomic<UInt>(0)

    package init() {}

    package var isCurrent: Bool { current.load(ordering: .relaxed) == UInt(pthread_self()) }

    /// The calling thread runs the loop from now on.
    package func enter() {
        let (isFirst, _) = current.compareExchange(
            expected: 0, desired: UInt(pthread_self()), ordering: .acquiringAndReleasing)
        precondition(isFirst, "an event loop is run by two threads at once")
    }

    package func exit() {
        current.store(0, ordering: .releasing)
        let report = atExit.withLock { $0.take() }
        report?()
    }

    /// Makes a thread that runs `body`.
    ///
    /// - Throws: the system's refusal of a thread.
    package func start(name: String, niceness: CInt, _ body: @escaping @Sendable () -> Void) throws(SystemError) {
        try own.withLock { own throws(SystemError) in
            precondition(own == nil, "the event loop \(name) was started twice")
            own = try LoopThread.spawn(ThreadBody(name: name, niceness: niceness, run: body))
        }
    }

    /// Waits for the end of the thread that `start` made; on that thread itself it returns at once.
    package func join() {
        guard !isCurrent else { return }
        let thread = own.withLock { $0.take() }
        if let thread { pthread_join(thread, nil) }
    }

    /// Lets the thread that `start` made end by itself, and calls `report` when its run ends; at once if none was made.
    func detach(_ report: @escaping @Sendable () -> Void) {
        guard let thread = own.withLock({ $0.take() }) else { return report() }
        atExit.withLock { $0 = report }
        pthread_detach(thread)
    }

    deinit {
        if let thread = own.withLock({ $0.take() }) { pthread_detach(thread) }
    }

    /// The time slice of a thread that gives way, in nanoseconds. A thread that wakes with a shorter slice, as all others
    /// have, runs at once (Linux 6.12, EEVDF); with an equal one it waits for up to 3 ms.
    private static let longSlice: UInt64 = 20_000_000

    private static func spawn(_ body: ThreadBody) throws(SystemError) -> pthread_t {
        var thread = pthread_t()
        let context = unsafe Unmanaged.passRetained(body)
        let error = unsafe pthread_create(&thread, nil, { unsafe LoopThread.main($0) }, context.toOpaque())
        guard error == 0 else {
            unsafe context.release()
            throw SystemError(call: "pthread_create", errno: error)
        }
        return thread
    }

    /// On the new thread.
    private static func main(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        guard let context = unsafe context else { return nil }
        let body = unsafe Unmanaged<ThreadBody>.fromOpaque(context).takeRetainedValue()
        unsafe pthread_setname_np(pthread_self(), String(decoding: body.name.utf8.prefix(15), as: UTF8.self))
        if body.niceness > 0 {
            // Both are of this thread alone, which is what Linux calls a process here.
            let niceness = max(body.niceness, getpriority(CInt(PRIO_PROCESS.rawValue), 0))
            _ = linux_give_way(niceness, LoopThread.longSlice)
        }
        body.run()
        return nil
    }
}

/// The body of a thread.
private final class ThreadBody: Sendable {
    let name: String
    let niceness: CInt
    let run: @Sendable () -> Void

    init(name: String, niceness: CInt, run: @escaping @Sendable () -> Void) {
        self.name = name
        self.niceness = niceness
        self.run = run
    }
}
