import Chat
import Synchronization

/// What the program says about itself on standard error: one lower-case line each, `earshot: what happened; what to do`.
struct Diagnostics: Sendable {
    /// Where lines go while a terminal is drawn on: written to standard error, they would stand in what is being typed.
    private static let diversion = Mutex<(@Sendable (String) -> Void)?>(nil)

    /// What is more talkative is left out.
    let level: LogLevel

    func say(_ level: LogLevel, _ text: String) {
        guard level <= self.level else { return }
        let line = "earshot: \(DisplayGuard.safe(text))"
        if let elsewhere = Diagnostics.diversion.withLock(\.self) { return elsewhere(line) }
        try? Descriptors.write(Array("\(line)\n".utf8), to: Descriptors.diagnostics)
    }

    /// Has lines, without their ends, go to `elsewhere` instead of standard error; nil ends it. From any thread.
    static func divert(to elsewhere: (@Sendable (String) -> Void)?) {
        diversion.withLock { $0 = elsewhere }
    }
}
