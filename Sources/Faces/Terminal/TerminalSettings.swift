import Reactor
import Glibc
import Synchronization

/// The settings of the terminal at standard input: changed for the editor, and put back however the process ends, but
/// for SIGKILL.
///
/// `restore` is called by the handler of fatal signals too, and so uses only what a handler may: no memory is taken
/// or given back, and no lock waited for.
package enum TerminalSettings {
    /// The address of the settings as they were before, 0 for none; never freed, so that a handler may look at any time.
    private static let saved = Atomic<UInt>(0)
    private static let isChanged = Atomic<Bool>(false)
    private static let isOnSecondScreen = Atomic<Bool>(false)

    /// Ends paste marks, and what a drawing may have begun.
    private static let modesOff: StaticString = "\u{1b}[?2026l\u{1b}[?7h\u{1b}[?2004l\u{1b}[m"
    private static let modesOn: StaticString = "\u{1b}[?2004h"

    /// Gives every key to the program as it is typed, but for Ctrl-Z and Ctrl-\\, and asks for marks around pastes.
    ///
    /// Does nothing in the background, where the terminal belongs to another process.
    package static func change() {
        guard isForeground else { return }
        var settings = termios()
        if let saved = unsafe UnsafePointer<termios>(bitPattern: saved.load(ordering: .acquiring)) {
            settings = unsafe saved.pointee
        } else {
            guard unsafe tcgetattr(Descriptors.input, &settings) == 0 else { return }
            let copy = UnsafeMutablePointer<termios>.allocate(capacity: 1)
            unsafe copy.initialize(to: settings)
            saved.store(UInt(bitPattern: copy), ordering: .releasing)
        }
        settings.c_iflag &= ~tcflag_t(ICRNL | INLCR | IGNCR | IXON | ISTRIP | BRKINT | PARMRK)
        settings.c_lflag &= ~tcflag_t(ECHO | ICANON | IEXTEN)
        // VINTR: Ctrl-C is a key, which clears a line that has text.
        settings.c_cc.0 = 0
        // VTIME and VMIN: a read returns with the first byte.
        settings.c_cc.5 = 0
        settings.c_cc.6 = 1
        isChanged.store(true, ordering: .sequentiallyConsistent)
        unsafe tcsetattr(Descriptors.input, TCSANOW, &settings)
        write(modesOn)
    }

    /// Notes whether the terminal's second screen is shown.
    static func usesSecondScreen(_ isShown: Bool) { isOnSecondScreen.store(isShown, ordering: .sequentiallyConsistent) }

    /// Puts everything back, once. From any thread, and from a signal handler.
    ///
    /// - Returns: whether there was something to put back.
    @discardableResult
    package static func restore() -> Bool {
        guard isChanged.exchange(false, ordering: .sequentiallyConsistent), isForeground,
            let saved = unsafe UnsafePointer<termios>(bitPattern: saved.load(ordering: .acquiring))
        else { return false }
        // On the first screen this sequence would move the cursor.
        if isOnSecondScreen.exchange(false, ordering: .sequentiallyConsistent) { write("\u{1b}[?1049l") }
        write(modesOff)
        unsafe tcsetattr(Descriptors.input, TCSANOW, saved)
        return true
    }

    /// Whether the terminal listens to this process, and not to a shell that has put it into the background.
    ///
    /// A terminal that controls no session has no background.
    static var isForeground: Bool {
        let group = tcgetpgrp(Descriptors.input)
        return group == -1 || group == getpgrp()
    }

    /// Columns and rows; 80 and 24 where the terminal does not know.
    package static var size: (columns: Int, rows: Int) {
        var size = winsize()
        guard unsafe ioctl(Descriptors.output, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
            return (80, 24)
        }
        return (Int(size.ws_col), Int(size.ws_row))
    }

    private static func write(_ text: StaticString) {
        _ = unsafe Glibc.write(Descriptors.output, text.utf8Start, text.utf8CodeUnitCount)
    }
}
