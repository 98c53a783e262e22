import Glibc

/// The ends of the process.
enum Ending {
    /// Ends the process in good order.
    static func inOrder(_ code: CInt) -> Never { exit(code) }

    /// Ends the process from any thread, whatever the others do.
    static func now(_ code: CInt) -> Never { _exit(code) }
}
