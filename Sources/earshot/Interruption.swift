import Synchronization

/// The signal that has asked for an early end of something that goes on until it has a result. From any thread.
final class Interruption: Sendable {
    private let number = Atomic<CInt>(0)

    /// Nil while none has come.
    var signal: CInt? {
        let number = number.load(ordering: .relaxed)
        return number == 0 ? nil : number
    }

    func come(_ signal: CInt) {
        number.store(signal, ordering: .relaxed)
    }
}
