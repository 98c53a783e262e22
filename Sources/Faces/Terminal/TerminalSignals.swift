package import Reactor
import CLinux
import Glibc

/// The signals that have to do with the terminal: another size, Ctrl-Z, and going on after that.
package enum TerminalSignals {
    private static let ours = [SIGWINCH, SIGTSTP, SIGCONT]

    /// Before any other thread exists: threads inherit what is blocked.
    package static func block() {
        var blocked = Signals.set(of: ours)
        unsafe pthread_sigmask(SIG_BLOCK, &blocked, nil)
    }

    /// A descriptor that can be read when one of them has come. They must be blocked.
    package static func open() throws(SystemError) -> Descriptor {
        var awaited = Signals.set(of: ours)
        return try Descriptor(
            "signalfd", unsafe signalfd(-1, &awaited, CInt(SFD_NONBLOCK) | CInt(SFD_CLOEXEC)))
    }

    /// Those that have come since.
    package static func read(_ descriptor: CInt) -> [CInt] {
        var signals: [CInt] = []
        var information = signalfd_siginfo()
        let size = MemoryLayout<signalfd_siginfo>.size
        while unsafe Glibc.read(descriptor, &information, size) == size { signals.append(CInt(information.ssi_signo)) }
        return signals
    }

    /// Stops the process as Ctrl-Z does, and returns when it goes on.
    static func stop() {
        var stopping = Signals.set(of: [SIGTSTP])
        kill(getpid(), SIGTSTP)
        unsafe pthread_sigmask(SIG_UNBLOCK, &stopping, nil)
        unsafe pthread_sigmask(SIG_BLOCK, &stopping, nil)
    }
}
