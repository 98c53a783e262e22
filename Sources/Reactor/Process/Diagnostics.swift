import Chat
import Synchronization

/// The program's messages on standard error: one lower-case line each, `earshot: event; remedy`.
package struct Diagnostics: Sendable {
    /// Where lines go while a terminal is drawn on: written to standard error, they would stand in what is being typed.
    private static let diversion = Mutex<(@Sendable (String) -> Void)?>(nil)

    /// Messages of a higher level are left out.
    package let level: LogLevel

    package init(level: LogLevel) {
        self.level = level
    }

    package func say(_ level: LogLevel, _ text: String) {
        guard level <= self.level else { return }
        let line = "earshot: \(DisplayGuard.safe(text))"
        if let elsewhere = Diagnostics.diversion.withLock(\.self) { return elsewhere(line) }
        try? Descriptors.write(Array("\(line)\n".utf8), to: Descriptors.diagnostics)
    }

    /// Has lines, without their ends, go to `elsewhere` instead of standard error; nil ends it. From any thread.
    package static func divert(to elsewhere: (@Sendable (String) -> Void)?) {
        diversion.withLock { $0 = elsewhere }
    }
}

/// How much the program says about itself on standard error, in growing order.
package enum LogLevel: String, Hashable, Sendable, CaseIterable, Comparable {
    case error, warning, info, debug

    package static func < (left: LogLevel, right: LogLevel) -> Bool { left.rank < right.rank }

    private var rank: Int {
        switch self {
        case .error: 0
        case .warning: 1
        case .info: 2
        case .debug: 3
        }
    }
}
