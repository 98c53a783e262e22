/// The command line is not one that the program knows. Its exit code is 2.
package struct UsageError: Error, Hashable, Sendable {
    /// One lower-case line: the fault; the remedy.
    package let message: String

    init(_ message: String) {
        self.message = message
    }
}

extension UsageError {
    /// For a command that takes nothing but options.
    package static func refuse(_ operands: [String], of command: Invocation.CommandName) throws(UsageError) {
        guard let first = operands.first else { return }
        throw UsageError("unexpected \(quoted(first)); see earshot \(command.rawValue) --help")
    }
}
