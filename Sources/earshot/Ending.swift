import Glibc
import TerminalFace

/// The ends of the process. Both leave the terminal as it was found.
enum Ending {
    /// Ends the process in good order.
    static func inOrder(_ code: CInt) -> Never {
        TerminalSettings.restore()
        exit(code)
    }

    /// Ends the process from any thread, whatever the others do.
    static func now(_ code: CInt) -> Never {
        TerminalSettings.restore()
        _exit(code)
    }
}
