package import Chat
import ChatNode
import Synchronization

/// The cause of the program's end, decided once: the first one counts, unless a node fails later.
package final class Departure: Sendable {
    package enum Cause: Hashable, Sendable {
        /// `/quit`, the end of the input, or a reader that has enough.
        case asked
        case signal(CInt)
        case signedOut
        case failed(String)
    }

    private let cause = Mutex<Cause?>(nil)
    private let hasRefusal = Mutex(false)

    package init() {}

    /// Records a cause, unless there was one already.
    package func record(_ new: Cause) { cause.withLock { $0 = $0 ?? new } }

    /// Records a node's reason to stop; a failure replaces an earlier cause.
    package func nodeStopped(_ reason: StopReason) {
        switch reason {
        case .asked: record(.asked)
        case .signedOut: record(.signedOut)
        case .failed(let why): cause.withLock { $0 = .failed(why) }
        }
    }

    /// Records that standard output can not be written. A reader that has closed it is no failure.
    ///
    /// - Parameter reason: the system's, in words.
    package func outputFailed(_ reason: String, isClosedByReader: Bool) {
        record(isClosedByReader ? .asked : .failed("standard output: \(reason); see where it goes"))
    }

    /// Records that a line of a pipe was refused; the exit code tells its writer.
    func recordRefusal() { hasRefusal.withLock { $0 = true } }

    package var isDecided: Bool { cause.withLock { $0 != nil } }

    /// The line for standard error; nil if there is none.
    package var complaint: String? {
        guard case .failed(let why) = cause.withLock({ $0 }) else { return nil }
        return why
    }

    package var exitCode: CInt {
        switch cause.withLock({ $0 }) {
        case .asked, nil: hasRefusal.withLock { $0 } ? 1 : 0
        case .failed: 1
        case .signedOut: 3
        case .signal(let number): 128 + number
        }
    }
}
