import Chat
package import Commands
package import Phrases
import ChatNode
import Model
package import Wire

/// Every report as lines for people, with the room in front where the program is in several.
package struct PlainRooms: Presentation {
    private let clock: @Sendable (Timestamp) -> String
    private let day: @Sendable (Timestamp) -> String
    private let language: Language
    private var model = ChatModel()

    package init(
        clock: @escaping @Sendable (Timestamp) -> String,
        day: @escaping @Sendable (Timestamp) -> String = { UniversalTime($0).date }, language: Language = .english
    ) {
        (self.clock, self.day, self.language) = (clock, day, language)
    }

    package func clock(_ time: Timestamp) -> String { clock(time) }

    package mutating func rendering(of report: RoomReport, at time: Timestamp) -> Rendering {
        let lines = show(report, at: time) { $0.rendering(of: report.report, $1, at: time) }
        if report.isEnd { return Rendering() }
        guard model.rooms.count > 1 else { return lines }
        // Behind a beginning that no text of a peer can have: such a text ends no line.
        let name = Array("[\(DisplayGuard.safe(report.room.name))] ".utf8)
        let rows = lines.output.split(separator: UInt8(ascii: "\n"))
        return Rendering(
            output: Array(rows.map { name + $0 + [UInt8(ascii: "\n")] }.joined()), diagnostics: lines.diagnostics)
    }

    /// The texts of a report's notices, without time and room.
    package mutating func notices(of report: RoomReport, at time: Timestamp) -> [String] {
        show(report, at: time) { $0.notices(of: report.report, $1, at: time) }
    }

    /// The lines of an answer, or of an event in its place, without the time in front, which the asking user knows; but for
    /// messages, that are of another.
    package mutating func answerLines(of report: RoomReport, at time: Timestamp) -> [String] {
        if case .event(let event) = report.report, event.isOfUser { return notices(of: report, at: time) }
        guard case .answer(let answer) = report.report else { return [] }
        guard answer.content is MessageList || answer.content is Wiped else { return notices(of: report, at: time) }
        let output = rendering(of: report, at: time).output
        return output.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
    }

    private mutating func show<Result>(
        _ report: RoomReport, at time: Timestamp, _ body: (PlainOutput, [ModelChange]) -> Result
    ) -> Result {
        let moment = Moment(instant: Instant(nanoseconds: 0), wallClock: time)
        let changes = model.reduce(report, at: moment)
        let output = PlainOutput(clock: clock, day: day, language: language, room: report.room.name) {
            [model] view, id in model.conversation(ConversationID(report.room, view))?.log[id]
        }
        return body(output, changes)
    }
}
