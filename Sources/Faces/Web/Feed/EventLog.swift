import Commands
import Rendering
import Wire

/// The latest events, for clients that come back: each has a number, which increases within a run.
struct EventLog: Sendable {
    struct Entry: Sendable {
        let number: Int
        let id: String
        /// The name of the event for Server-Sent Events.
        let name: String
        /// One line of JSON, with the member `seq`, without a line feed.
        let json: [UInt8]
    }

    static let capacity = 4_096

    /// Differs from run to run.
    let run: String
    private var entries: [Entry] = []
    private var first = 0
    private(set) var last = 0

    init(run: String) { self.run = run }

    /// The id of the latest event.
    var id: String { "\(run)-\(last)" }

    /// - Returns: nil for a report that is no event.
    mutating func append(_ report: RoomReport) -> Entry? {
        var line = report.isEnd ? WebJSON.parted(from: report.room) : JSONOutput().line(of: report)
        guard line.popLast() == UInt8(ascii: "}") else { return nil }
        last += 1
        if let id = ConversationID(of: report) { line += Array(",\"conversationId\":\"\(id)\"".utf8) }
        line += Array(",\"seq\":\"\(self.id)\"}".utf8)
        let entry = Entry(number: last, id: self.id, name: EventLog.name(of: line), json: line)
        entries.append(entry)
        if entries.count - first > EventLog.capacity { first += 1 }
        if first > EventLog.capacity {
            entries.removeFirst(first)
            first = 0
        }
        return entry
    }

    /// The events behind the one with an id; nil if it is not of this run, or too long ago.
    func missed(since id: String) -> ArraySlice<Entry>? {
        let parts = id.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0] == run, let number = Int(parts[1]), number >= 0, number <= last else {
            return nil
        }
        let kept = entries[first...]
        guard number < last else { return [] }
        guard let oldest = kept.first?.number, number >= oldest - 1 else { return nil }
        return kept.dropFirst(number - oldest + 1)
    }

    /// - Parameter line: a JSON object that begins with the member `event`.
    private static func name(of line: [UInt8]) -> String {
        let name = String(
            decoding: line.dropFirst(#"{"event":""#.utf8.count).prefix { $0 != UInt8(ascii: "\"") }, as: UTF8.self)
        return ["message": "added", "edited": "modified", "deleted": "removed"][name] ?? name
    }
}

/// An event of a stream of Server-Sent Events (WHATWG HTML, section 9.2).
enum ServerSentEvent {
    /// - Parameter id: nil for an event that is none of the log.
    static func text(_ name: String, _ json: [UInt8], id: String? = nil) -> [UInt8] {
        Array("\(id.map { "id: \($0)\n" } ?? "")event: \(name)\ndata: ".utf8) + json + [0x0a, 0x0a]
    }
}
