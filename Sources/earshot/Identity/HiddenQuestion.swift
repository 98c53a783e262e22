import Reactor
import CLinux
import Chat
import Glibc
import Noise

/// A question at the terminal of the process whose answer is not shown. It leaves the terminal as it was, also when a signal
/// ends the program.
struct HiddenQuestion: ~Copyable {
    private let terminal: Descriptor
    private let signals: Descriptor
    private let found: termios
    private let blocked: sigset_t

    /// The answer, waited for. Before any other thread is made: the signals have to come here.
    static func ask(_ question: String) throws(StartFailure) -> Secret {
        let hidden: HiddenQuestion
        do throws(SystemError) {
            hidden = try HiddenQuestion.begin()
        } catch {
            throw StartFailure("no terminal to ask for a pass phrase; give it with --passphrase-fd")
        }
        try? Descriptors.write(Array(DisplayGuard.safe(question).utf8), to: hidden.terminal.number)
        return try hidden.answer()
    }

    private static func begin() throws(SystemError) -> HiddenQuestion {
        let terminal = try Descriptor("open", unsafe open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC))
        var found = termios()
        try SystemError.check("tcgetattr", unsafe tcgetattr(terminal.number, &found))
        var awaited = Signals.set(of: ending.filter { !Signals.isIgnored($0) })
        let signals = try Descriptor("signalfd", unsafe signalfd(-1, &awaited, CInt(SFD_CLOEXEC)))
        var held = Signals.set(of: ending + [SIGTSTP])
        var blocked = sigset_t()
        unsafe pthread_sigmask(SIG_BLOCK, &held, &blocked)
        var hidden = found
        hidden.c_lflag &= ~tcflag_t(ECHO)
        unsafe tcsetattr(terminal.number, TCSAFLUSH, &hidden)
        return HiddenQuestion(terminal: terminal, signals: signals, found: found, blocked: blocked)
    }

    deinit { restore() }

    private func answer() throws(StartFailure) -> Secret {
        try SecretLine.passPhrase.line(from: terminal.number) {
            var entries = [
                pollfd(fd: signals.number, events: Int16(POLLIN), revents: 0),
                pollfd(fd: terminal.number, events: Int16(POLLIN), revents: 0),
            ]
            while unsafe poll(&entries, 2, -1) < 0, errno == EINTR {}
            if entries[0].revents != 0 { leave() }
        }
    }

    /// A signal has come that ends the program.
    private func leave() {
        var signal = signalfd_siginfo()
        let count = unsafe read(signals.number, &signal, MemoryLayout<signalfd_siginfo>.size)
        guard count > 0 else { return }
        restore()
        Ending.now(128 + CInt(signal.ssi_signo))
    }

    /// The end of the line was not shown either.
    private func restore() {
        var found = found
        unsafe tcsetattr(terminal.number, TCSAFLUSH, &found)
        try? Descriptors.write([0x0a], to: terminal.number)
        var blocked = blocked
        unsafe pthread_sigmask(SIG_SETMASK, &blocked, nil)
    }

    private static let ending = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]
}
