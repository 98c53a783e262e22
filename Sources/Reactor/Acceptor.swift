internal import CLinux
internal import Glibc
import Wire

/// Accepts the connections of a listening socket. While the system has no descriptor for another one, it pauses, as the
/// socket stays readable and would wake the loop for ever.
///
/// Lives on its loop, but for `init`.
package final class Acceptor: DescriptorHandler {
    /// Accepted in one turn; the rest waits for the next.
    private static let batch = 16
    private static let pause = Duration.milliseconds(100)

    private let loop: EventLoop
    private let listener: CInt
    private let freeDescriptor: () -> Bool
    private let take: (CInt) -> Void
    private var isStopped = false
    private var isWatching = false
    private var isHeld = false

    /// - Parameters:
    ///   - listener: does not block; the caller closes it behind `stop`.
    ///   - freeDescriptor: closes a connection of less worth than a new one; false if there is none.
    ///   - take: gets a connection that does not block, and owns its descriptor.
    package init(
        on loop: EventLoop, _ listener: CInt, freeDescriptor: @escaping () -> Bool, take: @escaping (CInt) -> Void
    ) {
        (self.loop, self.listener, self.freeDescriptor, self.take) = (loop, listener, freeDescriptor, take)
    }

    /// Accepts from now on, also before the end of a pause.
    package func start() {
        guard !isStopped, !isHeld, !isWatching else { return }
        isWatching = (try? loop.watch(listener, .readable, self)) != nil
        if !isWatching { rest() }
    }

    package func stop() {
        isStopped = true
        loop.unwatch(listener)
    }

    /// Lets connections wait in the system until `release`, as their owner has enough of them.
    package func hold() {
        isHeld = true
        unwatch()
    }

    package func release() {
        isHeld = false
        start()
    }

    package func ready(_: CInt, _: Readiness) {
        for _ in 0..<Acceptor.batch {
            guard !isStopped, !isHeld else { return }
            let result = accept4(listener, nil, nil, CInt(SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue))
            guard result < 0 else {
                take(result)
                continue
            }
            switch errno {
            case EMFILE, ENFILE, ENOMEM, ENOBUFS: if !freeDescriptor() { return pauseAccepting() }
            case EAGAIN: return
            // The connection that waited has gone, or the network failed it.
            case ECONNABORTED, EINTR, EPROTO: continue
            case _: return pauseAccepting()
            }
        }
    }

    private func pauseAccepting() {
        unwatch()
        rest()
    }

    private func unwatch() {
        if isWatching { loop.unwatch(listener) }
        isWatching = false
    }

    private func rest() {
        loop.schedule(at: loop.now + Acceptor.pause) { [weak self] in self?.start() }
    }
}
