import Glibc
import TerminalFace

/// The end of the process. It leaves the terminal as it was found.
enum Ending {
    /// Ends the process from any thread, whatever the others do, and without the handlers of atexit(3): a bridge's thread may still be
    /// in a call of OpenSSL, whose handler would free what the thread uses. All output is written by then.
    static func now(_ code: CInt) -> Never {
        TerminalSettings.restore()
        _exit(code)
    }
}
