import Hub
import Phrases
package import Commands
import Rendering
package import Settings
import Chat
import ChatNode
import Synchronization
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

/// The renderer of all clients: the plain lines of an event depend on the events before, so each is rendered once.
final class SharedRenderer: Sendable {
    private struct State {
        var renderer: ControlRenderer
        /// The number of the event that was rendered last, and its lines.
        var event = 0
        var lines: [ControlRequest.Format: [UInt8]] = [:]
    }

    private let state: Mutex<State>
    private let wallClock: @Sendable () -> Timestamp

    init(_ renderer: ControlRenderer, wallClock: @escaping @Sendable () -> Timestamp) {
        state = Mutex(State(renderer: renderer))
        self.wallClock = wallClock
    }

    func lines(of reports: [RoomReport], as format: ControlRequest.Format) -> [UInt8] {
        state.withLock { $0.renderer.lines(of: reports, as: format, at: wallClock()) }
    }

    func lines(of event: HubEvent, as format: ControlRequest.Format) -> [UInt8] {
        state.withLock { state in
            if state.event != event.number { (state.event, state.lines) = (event.number, [:]) }
            if let lines = state.lines[format] { return lines }
            let lines = state.renderer.lines(of: [event.report], as: format, at: wallClock())
            state.lines[format] = lines
            return lines
        }
    }
}
