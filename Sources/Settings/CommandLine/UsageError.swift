/// The command line is not one that the program knows. Its exit code is 2.
package struct UsageError: Error, Hashable, Sendable {
    /// One lower-case line: the fault; the remedy.
    package let message: String

    init(_ message: String) {
        self.message = message
    }
}
