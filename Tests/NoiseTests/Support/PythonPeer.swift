import Glibc

/// Runs Tests/Interop/noise_peer.py with the interpreter that has its requirements.
struct PythonPeer {
    /// The interpreter is not named: a failure, never a reason to skip.
    struct InterpreterMissing: Error, CustomStringConvertible {
        let description = "EARSHOT_TEST_PYTHON names no Python with Tests/Interop/requirements.txt: run Scripts/test"
    }

    private let process: pid_t

    /// - Parameter role: what the peer is, `initiator` or `responder`.
    init(role: String, port: UInt16, records: Int) throws {
        guard let named = unsafe getenv("EARSHOT_TEST_PYTHON") else { throw InterpreterMissing() }
        let script = PythonPeer.testsFolder + "/Interop/noise_peer.py"
        process = try PythonPeer.spawn(unsafe [String(cString: named), script, role, String(port), String(records)])
    }

    /// Waits for the end: 0 if the peer found everything as it should be.
    func exitCode() throws -> CInt {
        var status: CInt = 0
        _ = try check(unsafe waitpid(process, &status, 0), "waitpid")
        return status & 0x7f == 0 ? status >> 8 & 0xff : -1
    }

    /// Ends the peer where a test has failed before it could end by itself.
    func end() throws {
        _ = kill(process, SIGKILL)
        _ = try exitCode()
    }

    private static var testsFolder: String {
        "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
    }

    private static func spawn(_ words: [String]) throws -> pid_t {
        let arguments = unsafe words.map { unsafe strdup($0) } + [nil]
        defer { unsafe arguments.forEach { unsafe free($0) } }
        var process: pid_t = 0
        let failure = unsafe posix_spawn(&process, words[0], nil, nil, arguments, environ)
        guard failure == 0 else {
            errno = failure
            throw SystemFailure(call: "posix_spawn \(words[0])")
        }
        return process
    }
}
