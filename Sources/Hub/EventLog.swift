import Chat
package import Commands
import Model
package import Wire

/// The latest events, for clients that come back: each has a number, which increases within a run. Events whose texts are to be
/// forgotten leave gaps.
package struct EventLog: Sendable {
    /// One line of JSON of an event with an id, beginning with the member `event`, without a line feed; nil for a report that is
    /// no event. A message has the id of the one that is shown behind it; nil for the last one.
    package typealias Line = @Sendable (RoomReport, _ successor: MessageID?, _ id: String) -> [UInt8]?

    /// The clients that get an event.
    package enum Audience: Sendable {
        case everyone
        /// It is a row that the server tells, instead of a report of a node.
        case streams
        /// Another event or a snapshot tells it to streams.
        case sessions
    }

    package struct Entry: Sendable {
        package let number: Int
        package let id: String
        /// The name of the event for Server-Sent Events.
        package let name: String
        package let json: [UInt8]
        /// The line without the reason of a peer, which is left when that is to be forgotten; nil for most events.
        let bare: [UInt8]?
        package let topic: EventTopic
        package let audience: Audience
        /// Whether it tells again of what a client may know: it is no news.
        let isStored: Bool
        /// The unread messages when a message came.
        let unread: Int
        /// The message behind it, at that time.
        let successor: MessageID?
        /// The number of the event of the message that has other reactions; nil if there is none any more, and for other events.
        package let reactedTo: Int?
        /// The bytes of all events of the run up to the end of this one.
        let end: Int

        /// The bytes of all events of the run in front of this one.
        let start: Int

        /// The event that is left when its reason is to be forgotten; nil for none.
        var withoutReason: Entry? {
            bare.map {
                Entry(
                    number: number, id: id, name: name, json: $0, bare: nil, topic: EventTopic(room: topic.room),
                    audience: audience, isStored: isStored, unread: unread, successor: successor, reactedTo: nil,
                    end: end, start: start)
            }
        }
    }

    package static let capacity = 4_096
    /// For a server without streams.
    package static let none = EventLog(run: "") { _, _, _ in nil }

    /// The form in which a stream gets an event.
    package enum Form: Sendable { case json, serverSent }

    /// Differs from run to run.
    private let run: String
    private let line: Line
    /// In the order of their numbers.
    private var entries: [Entry] = []
    private var first = 0
    /// The number of the latest event.
    package private(set) var last = 0
    /// The latest number that is not kept for want of room, or behind which events were lost.
    private(set) var dropped = 0
    /// The bytes of all events of the run.
    private(set) var size = 0

    package init(run: String, line: @escaping Line) { (self.run, self.line) = (run, line) }

    /// The id of the latest event.
    package var id: String { "\(run)-\(last)" }

    /// - Parameter isStored: whether it tells of a message or a request that was there before.
    /// - Returns: nil for a report that is no event.
    @discardableResult
    mutating func append(
        _ report: RoomReport, before successor: MessageID? = nil, isStored: Bool = false
    ) -> Entry? {
        guard let json = line(report, successor, isStored, "\(run)-\(last + 1)") else { return nil }
        let unread = if case .event(.message(let message)) = report.report { message.unread } else { 0 }
        let bare = report.withoutReason.flatMap { line($0, successor, "\(run)-\(last + 1)") }
        let topic = EventTopic(report)
        let reactedTo = if case .event(.reacted) = report.report { number(of: topic) } else { Int?.none }
        return append(
            json, bare: bare, topic, for: .everyone, isStored: isStored, unread, successor, reactedTo: reactedTo)
    }

    /// The number of the latest event with the message of a topic; nil for none.
    private func number(of topic: EventTopic) -> Int? {
        entries[first...].last {
            $0.topic.message == topic.message && $0.topic.conversation == topic.conversation && $0.name == "added"
        }?.number
    }

    private func line(
        _ report: RoomReport, _ successor: MessageID?, _ isStored: Bool, _ id: String
    ) -> [UInt8]? {
        guard let json = line(report, successor, id) else { return nil }
        return isStored ? json.dropLast() + Array(#","snapshot":true}"#.utf8) : json
    }

    /// Appends an event that is no report.
    ///
    /// - Parameters:
    ///   - bare: its line without the texts of peers; nil if none is left when one is to be forgotten.
    ///   - make: its line, as that of a report.
    mutating func append(
        _ topic: EventTopic, bare: ((_ id: String) -> [UInt8])? = nil, _ make: (_ id: String) -> [UInt8]
    ) {
        let id = "\(run)-\(last + 1)"
        append(make(id), bare: bare?(id), topic, for: .streams)
    }

    @discardableResult
    private mutating func append(
        _ json: [UInt8], bare: [UInt8]? = nil, _ topic: EventTopic, for audience: Audience, isStored: Bool = false,
        _ unread: Int = 0, _ successor: MessageID? = nil, reactedTo: Int? = nil
    ) -> Entry {
        last += 1
        size += json.count
        let entry = Entry(
            number: last, id: id, name: EventLog.name(of: json), json: json, bare: bare, topic: topic,
            audience: audience, isStored: isStored, unread: unread, successor: successor, reactedTo: reactedTo,
            end: size, start: size - json.count)
        entries.append(entry)
        if entries.count - first > EventLog.capacity {
            dropped = entries[first].number
            first += 1
        }
        if first > EventLog.capacity { discard() }
        return entry
    }

    /// The first event behind the one with a number; nil if there is none yet.
    func next(behind number: Int) -> Entry? {
        var (low, high) = (first, entries.count)
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].number > number { high = middle } else { low = middle + 1 }
        }
        return low < entries.count ? entries[low] : nil
    }

    /// The number in an id, if all that came behind it is known; nil if it is not of this run, or too long ago.
    package func number(of id: String) -> Int? {
        let parts = id.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0] == run, let number = Int(parts[1]), isKnown(number) else { return nil }
        return number
    }

    /// Whether all that came behind the event with a number is known.
    func isKnown(_ number: Int) -> Bool { number >= dropped && number <= last }

    /// Events are lacking from here on: nothing behind an earlier one is known any more.
    mutating func interrupt() {
        (entries, first) = ([], 0)
        last += 1
        dropped = last
    }

    /// Forgets texts.
    ///
    /// - Returns: the messages and cards that are gone.
    @discardableResult
    mutating func erase(_ erasure: Erasure) -> [Entry] {
        discard()
        let gone = entries.filter { ["added", "card"].contains($0.name) && erasure.takes($0.topic) }
        entries = entries.compactMap { erasure.takes($0.topic) ? erasure.leavesState ? $0.withoutReason : nil : $0 }
        return gone
    }

    /// Appends for sessions that a message or a card is gone, by the number of its event.
    mutating func append(gone entry: Entry, in room: RoomLabel) {
        var json = JSONWriter(.forPrograms)
        json.object {
            $0.member("event", entry.name == "card" ? "goneCard" : "gone")
            $0.member("room", room.name)
            $0.member("conversation", entry.topic.conversation?.peer == nil ? "public" : "direct")
            $0.member("number", "\(entry.number)")
        }
        append(json.bytes, EventTopic(room), for: .sessions)
    }

    /// Gives the event of a message its present text, and forgets the events of earlier edits.
    ///
    /// - Parameter message: as it is now.
    mutating func change(_ topic: EventTopic, to message: MessageView, in room: RoomLabel) {
        discard()
        let all = entries
        entries = []
        for entry in all {
            guard entry.topic.message == topic.message, entry.topic.conversation == topic.conversation else {
                entries.append(entry)
                continue
            }
            guard entry.name == "added" else {
                if entry.name == "reacted" { entries.append(entry) }
                continue
            }
            var message = message
            // The number of unread messages stays that of its time.
            message.unread = entry.unread
            let report = RoomReport(room, .event(.message(message)))
            guard let json = line(report, entry.successor, entry.isStored, entry.id) else { continue }
            entries.append(
                Entry(
                    number: entry.number, id: entry.id, name: entry.name, json: json, bare: nil, topic: entry.topic,
                    audience: entry.audience, isStored: entry.isStored, unread: entry.unread,
                    successor: entry.successor, reactedTo: nil, end: entry.end, start: entry.start))
        }
    }

    /// Lets go of the events that are not kept for want of room.
    private mutating func discard() {
        entries.removeFirst(first)
        first = 0
    }

    /// - Parameter line: a JSON object that begins with the member `event`.
    private static func name(of line: [UInt8]) -> String {
        let name = String(
            decoding: line.dropFirst(#"{"event":""#.utf8.count).prefix { $0 != UInt8(ascii: "\"") }, as: UTF8.self)
        return ["message": "added", "edited": "modified", "deleted": "removed"][name] ?? name
    }
}

/// An event of a stream of Server-Sent Events (WHATWG HTML, section 9.2).
package enum ServerSentEvent {
    /// The pause of a client that comes back, in milliseconds.
    package static let start = Array("retry: 1000\n\n".utf8)
    /// Tells both ends that the connection is there.
    package static let comment = Array(": \n\n".utf8)
    package static let pause = Duration.seconds(15)

    /// - Parameter id: nil for an event that is none of the log.
    package static func text(_ name: String, _ json: [UInt8], id: String? = nil) -> [UInt8] {
        Array("\(id.map { "id: \($0)\n" } ?? "")event: \(name)\ndata: ".utf8) + json + [0x0a, 0x0a]
    }
}
