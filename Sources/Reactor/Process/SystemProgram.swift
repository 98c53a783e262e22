internal import CLinux
internal import Glibc

/// A program of the system that goes on by itself, as a browser does.
package enum SystemProgram {
    /// Starts a program, and waits for its end; blocks the thread.
    ///
    /// - Parameter words: its name, which is looked for in `$PATH`, and its arguments.
    /// - Returns: its exit code; nil if a signal ended it.
    /// - Throws: the system's refusal to start it.
    package static func run(_ words: [String]) throws(SystemError) -> CInt? {
        var process: CInt = 0
        var texts = unsafe words.map { unsafe strdup($0) } + [nil]
        defer { unsafe texts.forEach { unsafe free($0) } }
        let error = unsafe texts.withUnsafeMutableBufferPointer { unsafe linux_start_program($0.baseAddress, &process) }
        guard error == 0 else { throw SystemError(call: words[0], errno: error) }
        var status: CInt = 0
        while unsafe waitpid(process, &status, 0) < 0 { guard errno == EINTR else { throw .last("waitpid") } }
        return status & 0x7f == 0 ? (status >> 8) & 0xff : nil
    }

    /// Whether the process has the rights and the session of one user: neither sudo nor a set-user-ID bit has changed them.
    package static var isOfOneUser: Bool {
        guard getuid() == geteuid() else { return false }
        guard !["SUDO_UID", "PKEXEC_UID", "DOAS_USER"].contains(where: { ProcessEnvironment.value($0) != nil }) else {
            return false
        }
        guard let folder = ProcessEnvironment.value("XDG_RUNTIME_DIR") else { return true }
        var status = stat()
        return unsafe stat(folder, &status) != 0 || status.st_uid == geteuid()
    }
}
