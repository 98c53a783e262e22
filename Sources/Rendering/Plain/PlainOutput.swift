package import Commands
import Chat
import ChatNode
package import Wire

/// Every report as lines for people, in a pipe too.
///
/// A line is `HH:MM:SS <author> text`, `HH:MM:SS [author -> you] text` or `HH:MM:SS * notice`: the text of others is
/// only behind such a beginning, and can not end the line. A message from an earlier day begins with its date.
package struct PlainOutput: Presentation {
    /// The time of day that a line begins with.
    package let clock: @Sendable (Timestamp) -> String
    /// The day, which a message from an earlier one begins with.
    package let day: @Sendable (Timestamp) -> String
    /// The names that peers with a link were last shown under, with their state.
    private var shown: [PeerID: Sighting] = [:]
    private var memory = PlainMemory()

    private struct Sighting: Equatable {
        let state: PresenceState
        let name: String
        let reason: String?
    }

    package init(
        clock: @escaping @Sendable (Timestamp) -> String,
        day: @escaping @Sendable (Timestamp) -> String = { UniversalTime($0).date }
    ) {
        self.clock = clock
        self.day = day
    }

    package mutating func rendering(of report: Report, at time: Timestamp) -> Rendering {
        switch report {
        case .event(.message(let message)):
            memory.note(message)
            return Rendering(output: Array(line(message, at: time).utf8))
        case .event(.failed(let who, let messages)):
            return notices(messages.map { PlainOutput.failure($0, with: who) }, at: time)
        case .event(let event): return notices(notice(event).map { [$0] } ?? [], at: time)
        case .error(let error):
            return Rendering(diagnostics: Array("earshot: \(DisplayGuard.safe(error.message))\n".utf8))
        case .answer(.history(let conversation, let messages)):
            for message in messages { memory.note(message) }
            let head = notices([PlainAnswers.historyHead(conversation, count: messages.count)], at: time)
            return Rendering(output: messages.reduce(into: head.output) { $0 += Array(line($1, at: time).utf8) })
        case .entered: return Rendering()
        case .answer(.wiped(let lost, let files)):
            (shown, memory) = ([:], PlainMemory())
            return notices(PlainAnswers.wiped(lost, files: files), at: time)
        case .answer(let answer): return notices(PlainAnswers.lines(of: answer, at: time, clock: clock), at: time)
        }
    }

    private func notices(_ texts: [String], at time: Timestamp) -> Rendering {
        let lines = texts.map { "\(clock(time)) * \($0)\n" }
        return Rendering(output: Array(lines.joined().utf8))
    }

    private func line(_ message: MessageView, at now: Timestamp) -> String {
        let time = PlainMessage.time(of: message)
        let date = time < now && day(time) != day(now) ? "\(day(time)) " : ""
        return "\(date)\(clock(time)) \(PlainMessage(message).text)\n"
    }

    /// Nil for what people in a plain view do not want a line for.
    private mutating func notice(_ event: NodeEvent) -> String? {
        switch event {
        case .ready(let me, let port, let room, let discovery):
            let room = DisplayGuard.safe(room)
            return "you are \(PlainName.of(me)) in \(room), port \(port), \(PlainOutput.description(of: discovery))"
        case .peer(let state, let who, let reason, online: _): return presence(state, who, reason)
        case .request(let who, let text):
            let number = who.numberText
            let text = DisplayGuard.safe(text)
            return "\(PlainName.of(who)) wants to talk to you, /accept \(number) or /decline \(number): \(text)"
        case .direct(let change, let who): return "direct conversation with \(PlainName.of(who)): \(change.rawValue)"
        case .edited(let conversation, let id, let text, unread: _):
            let mark = memory[id] == nil ? ":" : ""
            return "edited\(reference(to: id, in: conversation))\(mark) \(DisplayGuard.safe(text))"
        case .deleted(let conversation, let id, unread: _):
            return "deleted\(reference(to: id, in: conversation))"
        case .notice(_, let text): return DisplayGuard.safe(text)
        case .read(let who, ids: _): return "\(PlainName.of(who)) has read what you wrote"
        case .message, .delivered, .failed, .typing, .stopped: return nil
        }
    }

    /// A new name, state or reason is worth a line; a stage that grew is not.
    private mutating func presence(_ state: PresenceState, _ who: PeerName, _ reason: String?) -> String? {
        let sighting = Sighting(state: state, name: PlainName.of(who), reason: reason)
        let before = state == .left ? shown.removeValue(forKey: who.key) : shown.updateValue(sighting, forKey: who.key)
        guard before != sighting else { return nil }
        if let before, before.state == state, before.name != sighting.name {
            return "\(before.name) is now \(sighting.name)"
        }
        if before != nil, state == .here { return "\(sighting.name) is back" }
        return switch state {
        case .here: "\(sighting.name) is here"
        case .away: "\(sighting.name) is away\(reason.map { ": \(DisplayGuard.safe($0))" } ?? "")"
        case .left: "\(sighting.name) is gone"
        }
    }

    /// Enough of the text to know which message it was.
    private static func failure(_ message: Undelivered, with who: PeerName) -> String {
        let text = DisplayGuard.safe(message.text)
        let beginning = text.count > 40 ? text.prefix(39) + "…" : text[...]
        return "not delivered to \(PlainName.of(who)): \"\(beginning)\""
    }

    private static func description(of discovery: DiscoveryMode) -> String {
        switch discovery {
        case .daemon: "finding peers through the Avahi daemon"
        case .embedded: "no Avahi daemon, so asking and answering mDNS itself"
        case .none: "not looking for peers"
        }
    }

    /// How the line of a message began; of one that is not remembered, where it is and the beginning of its id.
    private func reference(to id: MessageID, in conversation: ConversationView) -> String {
        guard let known = memory[id] else { return " in \(PlainName.of(conversation)), \(id.hexadecimal.prefix(8))" }
        return ": \(clock(known.time)) \(known.author)"
    }
}
