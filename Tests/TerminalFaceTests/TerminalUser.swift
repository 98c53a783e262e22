import Chat
import LineEditor
import Phrases
import TestSupport
import Testing
import Wire

@testable import ChatNode
@testable import Commands
@testable import Rendering
@testable import TerminalFace

/// A user at a terminal of the tests, with time that the test advances.
struct TerminalUser {
    static let start = Instant(nanoseconds: 1_000_000_000)

    var session: TerminalSession
    /// As the program gives them.
    private var numbers = ConversationNumbers()
    var now = TerminalUser.start
    var wallClock = Timestamp(milliseconds: Sample.time.milliseconds + 1_000)

    init(
        columns: Int = 80, rows: Int = 24, depth: Theme.Depth = .none, language: Language = .english, all: Bool = false
    ) {
        let rendering = ChatRendering(
            language: language, theme: Theme(depth),
            clock: { UniversalTime($0).text.dropFirst(11).prefix(8).description },
            day: { UniversalTime($0).date })
        session = TerminalSession(
            columns: columns, rows: rows, view: ChatView(rendering, showsAll: all), bell: Bell(isQuiet: false))
    }

    /// A user in the room `kitchen`, whose first lines were shown.
    static func ready(
        columns: Int = 80, depth: Theme.Depth = .none, language: Language = .english, all: Bool = false
    ) throws -> TerminalUser {
        var user = TerminalUser(columns: columns, depth: depth, language: language, all: all)
        let me = try Sample.who("me", number: 1_234, byte: 1)
        user.tell(.ready(me: me, port: 40_123, room: "kitchen", discovery: .none))
        _ = user.shown()
        return user
    }

    /// The output without the sequences that place and style it.
    mutating func shown() -> String {
        let text = session.writing(at: now).replacing(/\u{1b}\[[?0-9;]*[A-Za-z]/, with: "")
        // By scalars: a carriage return and a line feed are one character.
        return String(String.UnicodeScalarView(text.unicodeScalars.filter { $0 != "\r" }))
    }

    /// The rows of the chat that the next frame shows, without the prompt.
    mutating func rows() -> [String] {
        advance(.milliseconds(40))
        let rows = shown().split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        return Array(rows.dropLast())
    }

    mutating func advance(_ duration: Duration) {
        now = now + duration
        wallClock = Timestamp(milliseconds: wallClock.milliseconds + UInt64(duration / .milliseconds(1)))
        session.wake(at: now, wallClock: wallClock)
    }

    mutating func type(_ text: String) { session.take(Array(text.utf8), at: now, wallClock: wallClock) }

    /// Tells events of the room `kitchen`.
    mutating func tell(_ events: NodeEvent...) { show(events.map(RoomReport.event)) }

    mutating func tell(_ events: NodeEvent..., in room: RoomLabel) { show(events.map { RoomReport(room, .event($0)) }) }

    /// Shows reports; those of the only room are of `kitchen`.
    mutating func show(_ reports: [RoomReport]) {
        let reports = reports.map { report in
            let room = report.room == .lobby ? RoomLabel.kitchen : report.room
            guard case .event(let event) = report.report else { return RoomReport(room, report.report) }
            return RoomReport(room, report.report, numbers: numbers.add(event, of: room))
        }
        session.show(reports, at: now, wallClock: wallClock)
    }

    mutating func hear(_ text: String, mention: Bool = false) throws {
        tell(.message(try Sample.said(text, by: try Sample.who(), mention: mention)))
    }

    /// The command that was entered last and not yet taken.
    mutating func command() -> String? {
        guard case .text(let text) = session.nextLine()?.content else { return nil }
        return text
    }

    var prompt: String { session.view.prompt.text(columns: session.screen.columns).text }
}
