import Reactor
import Glibc
import Synchronization

/// Puts the terminal back before a fault of the program's own ends it.
///
/// The handler runs on the stack that a loop's thread keeps for it (`SignalStack`), so that one that has used up its own
/// is no exception. Threads of the language's pool have none; they do little, and recurse into nothing.
enum FatalSignals {
    private static let handled = [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGSYS, SIGQUIT]
    /// The address of what was done about each signal before, by its number; never freed.
    private static let before = Atomic<UInt>(0)

    /// Once, before the settings are changed.
    static func handle() {
        let before = UnsafeMutablePointer<sigaction>.allocate(capacity: 64)
        FatalSignals.before.store(UInt(bitPattern: before), ordering: .releasing)
        for number in handled where !Signals.isIgnored(number) {
            var action = sigaction()
            unsafe action.__sigaction_handler.sa_handler = { FatalSignals.restore($0) }
            action.sa_flags = SA_ONSTACK
            unsafe sigaction(number, &action, before + Int(number))
        }
    }

    /// Runs as a signal handler. The signal comes again as soon as this returns, and then does what it did before.
    private static func restore(_ number: CInt) {
        if TerminalSettings.restore() { _ = unsafe Glibc.write(Descriptors.output, "\r\n", 2) }
        if let before = unsafe UnsafePointer<sigaction>(bitPattern: before.load(ordering: .acquiring)) {
            unsafe sigaction(number, before + Int(number), nil)
        }
        raise(number)
    }
}
