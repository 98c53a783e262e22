import Phrases
package import Commands
import Rendering
package import Settings
import Chat
import ChatNode
package import Wire

/// Reports as a client of the control socket reads them, in either format.
package struct ControlRenderer: Sendable {
    private let json = JSONOutput()
    private var plain: PlainRooms

    package init(
        clock: @escaping @Sendable (Timestamp) -> String,
        day: @escaping @Sendable (Timestamp) -> String = { UniversalTime($0).date }
    ) {
        plain = PlainRooms(clock: clock, day: day)
    }

    /// Of what the node tells or answers. An error is the same in both formats: a client has to know it from the rest.
    package mutating func lines(of reports: [RoomReport], as format: ControlRequest.Format, at time: Timestamp)
        -> [UInt8]
    {
        reports.flatMap { report -> [UInt8] in
            switch (format, report.report) {
            case (.json, _), (.plain, .error): return json.rendering(of: report, at: time).output
            case (.plain, .answer):
                return ControlLines.plain(Array(plain.answerLines(of: report, at: time).joined(separator: "\n").utf8))
            // A client has no second stream for a warning.
            case (.plain, .event(.notice(_, let sentence))):
                let text = DisplayGuard.safe(sentence.text(in: .english))
                return ControlLines.plain(Array("\(plain.clock(time)) * \(text)\n".utf8))
            case (.plain, .event), (.plain, .entered), (.plain, .opened), (.plain, .viewed),
                (.plain, .leaving), (.plain, .snapshot), (.plain, .listening):
                return ControlLines.plain(plain.rendering(of: report, at: time).output)
            }
        }
    }
}
