import Chat

/// What the program says about itself on standard error: one lower-case line each, `earshot: what happened; what to do`.
struct Diagnostics: Sendable {
    /// What is more talkative is left out.
    let level: LogLevel

    func say(_ level: LogLevel, _ text: String) {
        guard level <= self.level else { return }
        try? Descriptors.write(Array("earshot: \(DisplayGuard.safe(text))\n".utf8), to: Descriptors.diagnostics)
    }
}
