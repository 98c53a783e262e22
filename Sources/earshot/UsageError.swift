/// The command line is not one that the program knows. Its exit code is 2.
struct UsageError: Error, Hashable, Sendable {
    /// One lower-case line: what is wrong; what to do.
    let message: String

    init(_ message: String) {
        self.message = message
    }
}
