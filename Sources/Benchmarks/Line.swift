import Glibc

/// Lines to whoever measures, each out at once, and the end of the process.
package enum Line {
    /// On standard output.
    static func say(_ line: String) { write(line, to: 1) }

    /// On standard error.
    static func complain(_ message: String) { write("benchmarks: \(message)", to: 2) }

    static func end(_ code: CInt) -> Never { exit(code) }

    /// Lines are shorter than what a pipe takes at once; with nobody to read them there is nothing left to do.
    private static func write(_ line: String, to descriptor: CInt) {
        let bytes = Array("\(line)\n".utf8)
        let count = unsafe bytes.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
        if count < 0 { end(3) }
    }
}
