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
    /// Without a report yet.
    let plain: PlainRooms

    package init(
        clock: @escaping @Sendable (Timestamp) -> String,
        day: @escaping @Sendable (Timestamp) -> String = { UniversalTime($0).date }
    ) {
        plain = PlainRooms(clock: clock, day: day)
    }

    /// Of a request that asks for no other events: its lines depend on this report alone, and nothing of it is kept.
    package func lines(of report: RoomReport, as format: ControlRequest.Format, at time: Timestamp) -> [UInt8] {
        var alone = plain
        return lines(of: report, as: format, at: time, behind: &alone)
    }

    /// An error is the same in both formats: a client has to know it from the rest.
    ///
    /// - Parameter plain: has the reports before.
    func lines(
        of report: RoomReport, as format: ControlRequest.Format, at time: Timestamp, behind plain: inout PlainRooms
    ) -> [UInt8] {
        switch (format, report.report) {
        case (.json, _), (.plain, .error): return json.rendering(of: report, at: time).output
        case (.plain, .answer):
            return ControlLines.plain(Array(plain.answerLines(of: report, at: time).joined(separator: "\n").utf8))
        // A client has no second stream for a warning.
        case (.plain, .event(.notice(_, let sentence))):
            _ = plain.rendering(of: report, at: time)
            let text = DisplayGuard.safe(sentence.text(in: .english))
            return ControlLines.plain(Array("\(plain.clock(time)) * \(text)\n".utf8))
        case (.plain, .event), (.plain, .entered), (.plain, .opened), (.plain, .viewed),
            (.plain, .leaving), (.plain, .snapshot), (.plain, .listening), (.plain, .entering):
            return ControlLines.plain(plain.rendering(of: report, at: time).output)
        }
    }
}

/// The lines of all tails of one format: plain ones depend on the events before, so each is rendered once. The chat that they
/// are made of is gone with the last of these tails.
final class TailRenderer: Sendable {
    private struct State {
        var plain: PlainRooms
        /// The number of the event that was rendered last, and its lines.
        var event = 0
        var lines: [UInt8] = []
    }

    private let state: Mutex<State>
    private let renderer: ControlRenderer
    private let format: ControlRequest.Format
    private let wallClock: @Sendable () -> Timestamp

    init(_ renderer: ControlRenderer, _ format: ControlRequest.Format, wallClock: @escaping @Sendable () -> Timestamp) {
        state = Mutex(State(plain: renderer.plain))
        (self.renderer, self.format, self.wallClock) = (renderer, format, wallClock)
    }

    /// Of the beginning of a tail.
    func lines(of report: RoomReport) -> [UInt8] {
        state.withLock { renderer.lines(of: report, as: format, at: wallClock(), behind: &$0.plain) }
    }

    func lines(of event: HubEvent) -> [UInt8] {
        state.withLock { state in
            if state.event == event.number { return state.lines }
            state.lines = renderer.lines(of: event.report, as: format, at: wallClock(), behind: &state.plain)
            state.event = event.number
            return state.lines
        }
    }
}

/// The renderer of all clients.
final class SharedRenderer: Sendable {
    private struct Tails {
        weak var json: TailRenderer?
        weak var plain: TailRenderer?
    }

    private let renderer: ControlRenderer
    private let tails = Mutex(Tails())
    private let wallClock: @Sendable () -> Timestamp

    init(_ renderer: ControlRenderer, wallClock: @escaping @Sendable () -> Timestamp) {
        (self.renderer, self.wallClock) = (renderer, wallClock)
    }

    func lines(of report: RoomReport, as format: ControlRequest.Format) -> [UInt8] {
        renderer.lines(of: report, as: format, at: wallClock())
    }

    /// That of the tails of a format; each tail has to keep it.
    func tail(as format: ControlRequest.Format) -> TailRenderer {
        tails.withLock { tails in
            let known =
                switch format {
                case .json: tails.json
                case .plain: tails.plain
                }
            if let known { return known }
            let new = TailRenderer(renderer, format, wallClock: wallClock)
            switch format {
            case .json: tails.json = new
            case .plain: tails.plain = new
            }
            return new
        }
    }
}
