import CLinux
import Glibc
import Reactor
import Synchronization

/// Blocks a thread until a test opens it, for 15 minutes at most.
///
/// A test that is itself blocked by the thread can not open the gate: it sees `hasTimedOut` instead of hanging.
package final class Gate: Sendable {
    private let event: Descriptor
    private let reached = Locked<(isReached: Bool, waiter: CheckedContinuation<Void, Never>?)>((false, nil))
    private let timedOut = Locked(false)

    package init() throws { event = try Descriptor("eventfd", eventfd(0, CInt(EFD_CLOEXEC))) }

    package var hasTimedOut: Bool { timedOut.value }

    /// Blocks the calling thread.
    package func hold() {
        var waiter: CheckedContinuation<Void, Never>?
        reached.change { state in
            waiter = state.waiter
            state = (true, nil)
        }
        waiter?.resume()
        var entry = pollfd(fd: event.number, events: Int16(POLLIN), revents: 0)
        if unsafe poll(&entry, 1, 900_000) == 0 { timedOut.change { $0 = true } }
    }

    /// Lets all threads pass from now on.
    package func open() { eventfd_write(event.number, 1) }

    /// Returns once a thread is held.
    package func holds() async {
        await withCheckedContinuation { continuation in
            var isReached = false
            reached.change { state in
                isReached = state.isReached
                if !isReached { state.waiter = continuation }
            }
            if isReached { continuation.resume() }
        }
    }
}

/// A value that several closures and threads share.
package final class Locked<Value: Sendable>: Sendable {
    private let state: Mutex<Value>

    package init(_ value: Value) { state = Mutex(value) }

    package var value: Value { state.withLock { $0 } }

    package func change(_ body: (inout Value) -> Void) {
        state.withLock { body(&$0) }
    }
}
