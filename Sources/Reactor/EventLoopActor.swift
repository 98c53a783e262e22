package import ChatNode
internal import Glibc

/// An actor that lives on an event loop.
package protocol EventLoopActor: LoopActor {
    nonisolated var loop: EventLoop { get }
}

extension EventLoopActor {
    package nonisolated var scheduler: any Scheduler { loop }

    /// Calls `react` whenever `descriptor` is ready, until `loop.unwatch`.
    ///
    /// - Throws: see `EventLoop.watch`.
    package func watch(
        _ descriptor: CInt, _ interest: Interest,
        _ react: @escaping @Sendable (isolated Self, Readiness) -> Void
    ) throws(SystemError) {
        try loop.watch(descriptor, interest, DescriptorWatch(callback(react)))
    }

    /// Makes the acceptor of a listening socket; see `Acceptor.init`.
    package func makeAcceptor(
        of listener: CInt, freeDescriptor: @escaping (isolated Self) -> Bool,
        take: @escaping @Sendable (isolated Self, CInt) -> Void
    ) -> Acceptor {
        Acceptor(on: loop, listener) { [weak self] in
            // A callback has no result, which this one needs.
            self?.assumeIsolated(freeDescriptor) ?? false
        } take: { [weak self] connection in
            guard let self else { return _ = close(connection) }
            callback(take)(connection)
        }
    }
}
