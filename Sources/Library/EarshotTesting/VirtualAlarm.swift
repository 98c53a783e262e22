internal import Synchronization

/// A caller that waits until virtual time has passed, or until its task is cancelled.
final class VirtualAlarm: Sendable {
    private enum State {
        case waiting(CheckedContinuation<Void, Never>)
        case new, over
    }

    private let state = Mutex(State.new)

    /// - Returns: false if the task was cancelled before; the caller goes on at once then.
    func begin(_ caller: CheckedContinuation<Void, Never>) -> Bool {
        let begins = state.withLock { state in
            switch state {
            case .new:
                state = .waiting(caller)
                return true
            case .waiting, .over: return false
            }
        }
        if !begins { caller.resume() }
        return begins
    }

    /// - Returns: whether a caller waited, which goes on now.
    func ring() -> Bool {
        let caller: CheckedContinuation<Void, Never>? = state.withLock { state in
            defer { state = .over }
            switch state {
            case .waiting(let caller): return caller
            case .new, .over: return nil
            }
        }
        caller?.resume()
        return caller != nil
    }
}
