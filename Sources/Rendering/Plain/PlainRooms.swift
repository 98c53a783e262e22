import Chat
package import Commands
package import Phrases
import ChatNode
package import Wire

/// Every report as lines for people, with the room in front where the program is in several.
package struct PlainRooms: Presentation {
    private let clock: @Sendable (Timestamp) -> String
    private let day: @Sendable (Timestamp) -> String
    private let language: Language
    private var outputs: [Int: PlainOutput] = [:]

    package init(
        clock: @escaping @Sendable (Timestamp) -> String,
        day: @escaping @Sendable (Timestamp) -> String = { UniversalTime($0).date }, language: Language = .english
    ) {
        (self.clock, self.day, self.language) = (clock, day, language)
    }

    package func clock(_ time: Timestamp) -> String { clock(time) }

    package mutating func rendering(of report: RoomReport, at time: Timestamp) -> Rendering {
        if case .event(.stopped) = report.report {
            outputs[report.room.number] = nil
            return Rendering()
        }
        let lines = change(report.room) { $0.rendering(of: report.report, at: time) }
        if case .answer(.wiped) = report.report { outputs = [:] }
        guard outputs.count > 1 else { return lines }
        // Behind a beginning that no text of a peer can have: such a text ends no line.
        let name = Array("[\(DisplayGuard.safe(report.room.name))] ".utf8)
        let rows = lines.output.split(separator: UInt8(ascii: "\n"))
        return Rendering(
            output: Array(rows.map { name + $0 + [UInt8(ascii: "\n")] }.joined()), diagnostics: lines.diagnostics)
    }

    /// The texts of a report's notices, without time and room.
    package mutating func notices(of report: RoomReport, at time: Timestamp) -> [String] {
        change(report.room) { $0.notices(of: report.report, at: time) }
    }

    /// The lines of an answer, without the time in front, which the asking user knows; but for messages, that are of another.
    package mutating func answerLines(of report: RoomReport, at time: Timestamp) -> [String] {
        switch report.report {
        case .answer(.history), .answer(.found), .answer(.wiped):
            let output = rendering(of: report, at: time).output
            return output.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
        case .answer: return notices(of: report, at: time)
        case .event, .error, .entered, .opened, .listening: return []
        }
    }

    private mutating func change<Result>(_ room: RoomLabel, _ body: (inout PlainOutput) -> Result) -> Result {
        var output =
            outputs[room.number] ?? PlainOutput(clock: clock, day: day, language: language, room: room.name)
        defer { outputs[room.number] = output }
        return body(&output)
    }
}
