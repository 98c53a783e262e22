package import Commands

extension Program {
    /// Runs `body` on the program's executor.
    package func run<Result: Sendable, Failure: Error>(
        _ body: @Sendable (isolated Program) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(self)
    }
}
