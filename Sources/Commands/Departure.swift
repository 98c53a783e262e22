package import Chat
import ChatNode
import Synchronization

/// Why the program leaves, decided once: the first cause counts, but for those that the node finds itself.
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

    /// Notes a cause; false if there was one already.
    package func note(_ new: Cause) -> Bool {
        cause.withLock { cause in
            guard cause == nil else { return false }
            cause = new
            return true
        }
    }

    /// Notes the node's own reason to stop, unless the program has decided before.
    package func nodeStopped(_ reason: StopReason) {
        switch reason {
        case .asked: _ = note(.asked)
        case .signedOut: _ = note(.signedOut)
        case .failed(let why): cause.withLock { $0 = .failed(why) }
        }
    }

    /// Notes that standard output takes no more. A reader that has closed it is no failure.
    ///
    /// - Parameter reason: the system's, in words.
    package func outputFailed(_ reason: String, isClosedByReader: Bool) {
        _ = note(isClosedByReader ? .asked : .failed("standard output: \(reason); see where it goes"))
    }

    /// Notes that a line of a pipe was refused: its writer learns of it from the exit code.
    func noteRefusal() { hasRefusal.withLock { $0 = true } }

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
