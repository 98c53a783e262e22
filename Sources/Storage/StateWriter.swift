package import Reactor

/// Stores changes of an identity's state on a thread of its own, in the order of the calls, so that no other loop waits for
/// the disk.
package final class StateWriter: Sendable {
    private let files: IdentityFiles
    private let loop: EventLoop
    private let failed: @Sendable (StorageError) -> Void

    /// - Parameter failed: takes the error of each change that could not be stored, on the writer's thread.
    package init(_ files: IdentityFiles, failed: @escaping @Sendable (StorageError) -> Void) throws(SystemError) {
        self.files = files
        self.failed = failed
        loop = try EventLoop(name: "storage")
        try loop.start()
    }

    /// Submits a change. From any thread.
    ///
    /// - Returns: a function that returns once the change is on the disk or has failed.
    @discardableResult
    package func submit(_ change: @escaping @Sendable (inout IdentityState) -> Void) -> @Sendable () async -> Void {
        let (stream, continuation) = AsyncStream.makeStream(of: Never.self)
        loop.execute { [self] in
            do throws(StorageError) { try files.store(change) } catch { failed(error) }
            continuation.finish()
        }
        return { for await _ in stream {} }
    }

    /// Returns once all changes that were submitted are on the disk or have failed; later ones are lost.
    package func end() async { await loop.end() }
}
