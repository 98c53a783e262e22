package import Commands
package import Chat
import ChatNode
package import Phrases
package import Wire

/// The reports of one room as lines for people, in a pipe too.
///
/// A line is `HH:MM:SS <author> text`, `HH:MM:SS [author → you] text` or `HH:MM:SS * notice`: the text of others is
/// only behind such a beginning, and can not end the line. A message from an earlier day begins with its date; one that was
/// missed has `(missed)` in front of its author when it comes.
package struct PlainOutput: Sendable {
    /// The time of day that a line begins with.
    package let clock: @Sendable (Timestamp) -> String
    /// The day, which a message from an earlier one begins with.
    package let day: @Sendable (Timestamp) -> String
    package let language: Language
    /// The name of the room; nil where none is known.
    private let room: String?
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
        day: @escaping @Sendable (Timestamp) -> String = { UniversalTime($0).date }, language: Language = .english,
        room: String? = nil
    ) {
        self.clock = clock
        self.day = day
        self.language = language
        self.room = room
    }

    private var answers: PlainAnswers { PlainAnswers(language: language, clock: clock, day: day, room: room) }

    package mutating func rendering(of report: Report, at time: Timestamp) -> Rendering {
        switch report {
        case .event(.message(let message)):
            memory.record(message)
            let mark = PlainMessage.isMissed(message, at: time) ? language(.missedMark) + " " : ""
            return Rendering(output: Array(line(message, mark, at: time).utf8))
        case .event(.notice(let code, let sentence)) where code.isWarning:
            return PlainOutput.diagnostics(sentence.text(in: language))
        case .error(let error): return PlainOutput.diagnostics(error.sentence.text(in: language))
        case .answer(.history(_, let messages)), .answer(.found(_, _, let messages)):
            let head = rows(notices(of: report, at: time), at: time)
            return Rendering(output: messages.reduce(into: head) { $0 += Array(line($1, at: time).utf8) })
        case .event, .answer, .entered, .opened, .listening:
            return Rendering(output: rows(notices(of: report, at: time), at: time))
        }
    }

    /// The texts of a report's notices, without their time; none for a message and an error.
    package mutating func notices(of report: Report, at time: Timestamp) -> [String] {
        switch report {
        case .event(.message), .error, .entered: return []
        case .opened(let conversation, let recent):
            return notices(of: .answer(.active(command: "open", conversation, recent: recent)), at: time)
        case .listening(let place): return [language(.listening, place.face, place.url ?? place.address)]
        case .event(.blocked(let who, let isOn)):
            if isOn { forget(who) }
            return []
        case .event(.failed(let who, let messages)): return messages.map { failure($0, with: who) }
        case .event(let event): return notice(event).map { [$0] } ?? []
        case .answer(let answer):
            switch answer {
            case .history(_, let messages), .found(_, _, let messages), .active(_, _, recent: let messages),
                .parted(_, _, recent: let messages), .joined(recent: let messages):
                for message in messages { memory.record(message) }
            case .wiped: (shown, memory) = ([:], PlainMemory())
            case .done(command: let command, let who): if ["contact", "uncontact"].contains(command) { rename(who) }
            case .peers, .requests, .unread, .rooms, .invited, .announced, .contacts, .blocked, .statistics, .help,
                .made, .bridge, .whoami, .person, .verification:
                break
            }
            return answers.lines(of: answer, at: time)
        }
    }

    /// The user blocked a peer: what it said is forgotten.
    package mutating func forget(_ who: PeerName) { memory.forget(who.key) }

    /// The state of a peer in its latest event; `left` for an unknown peer.
    package func state(of who: PeerName) -> PresenceState { shown[who.key]?.state ?? .left }

    private static func diagnostics(_ text: String) -> Rendering {
        Rendering(diagnostics: Array("earshot: \(DisplayGuard.safe(text))\n".utf8))
    }

    private func rows(_ texts: [String], at time: Timestamp) -> [UInt8] {
        Array(texts.map { "\(clock(time)) * \($0)\n" }.joined().utf8)
    }

    private func line(_ message: MessageView, _ mark: String = "", at now: Timestamp) -> String {
        let time = PlainMessage.time(of: message)
        let date = time < now && day(time) != day(now) ? "\(day(time)) " : ""
        return "\(date)\(clock(time)) \(mark)\(PlainMessage(message).text)\n"
    }

    /// Nil for events without a line.
    private mutating func notice(_ event: NodeEvent) -> String? {
        switch event {
        case .ready(let me, let port, let room, let discovery):
            let mode = PlainOutput.description(of: discovery, in: language)
            return language(.youAreIn, me.displayName, DisplayGuard.safe(room), "\(port)", mode)
        case .peer(let state, let who, let reason, was: _, online: _): return presence(state, who, reason)
        case .crowd(let came, let left, let online):
            return language(.crowdNews, language.movements(came: came, left: left), "\(online + 1)")
        case .elsewhere(let state, let who, let reason, was: _): return presence(state, who, reason, isElsewhere: true)
        case .request(let who, let text):
            return language(.request, who.displayName, who.numberText, DisplayGuard.safe(text))
        case .invitation(let who, let room, let isThere):
            let name = DisplayGuard.safe(room.name)
            return language(isThere ? .invitesThere : .invites, who.displayName, name, answers.operand(room.name))
        case .direct(.accepted, let who): return language(.directAccepted, who.displayName)
        case .direct(.declined, let who): return language(.directDeclined, who.displayName)
        case .direct(.left, let who): return language(.directLeft, who.displayName)
        case .edited(let message):
            let mark = memory[message.id] == nil ? ":" : ""
            let place = reference(to: message.id, in: message.conversation)
            return language(.edited, place + mark, DisplayGuard.safe(message.text))
        case .deleted(let message):
            defer { memory.forget(message.id) }
            return language(.deleted, reference(to: message.id, in: message.conversation))
        case .notice(_, let sentence): return DisplayGuard.safe(sentence.text(in: language))
        case .read(let who, ids: _): return language(.hasRead, who.displayName)
        case .message, .delivered, .failed, .typing, .renamed, .blocked, .stopped: return nil
        }
    }

    /// The user gave the peer another name: that is no news when it comes or goes.
    private mutating func rename(_ who: PeerName) {
        guard let before = shown[who.key] else { return }
        shown[who.key] = Sighting(state: before.state, name: who.displayName, reason: before.reason)
    }

    /// A new name, state or reason is worth a line; a stage that grew is not.
    private mutating func presence(
        _ state: PresenceState, _ who: PeerName, _ reason: String?, isElsewhere: Bool = false
    ) -> String? {
        let sighting = Sighting(state: state, name: who.displayName, reason: reason)
        let before = state == .left ? shown.removeValue(forKey: who.key) : shown.updateValue(sighting, forKey: who.key)
        guard before != sighting else { return nil }
        if let before, before.state == state, before.name != sighting.name {
            return language(.peerRenamed, before.name, sighting.name)
        }
        if before != nil, state == .here { return language(.peerBack, sighting.name) }
        return switch state {
        case .here: language(isElsewhere ? .peerElsewhere : .peerHere, sighting.name)
        case .away:
            reason.map { language(.peerAwayFor, sighting.name, DisplayGuard.safe($0)) }
                ?? language(.peerAway, sighting.name)
        case .left: language(.peerGone, sighting.name)
        }
    }

    private func failure(_ message: Undelivered, with who: PeerName) -> String {
        language(.notDelivered, who.displayName, PlainOutput.beginning(of: message.text))
    }

    /// Enough of a text to know which message it was.
    package static func beginning(of text: String) -> String {
        let text = DisplayGuard.safe(text)
        return text.count > 40 ? text.prefix(39) + "…" : text
    }

    package static func description(of discovery: DiscoveryMode, in language: Language) -> String {
        switch discovery {
        case .daemon: language(.byDaemon)
        case .embedded: language(.byItself)
        case .none: language(.notLooking)
        }
    }

    /// How the line of a message began; of one that is not remembered, where it is and the beginning of its id.
    private func reference(to id: MessageID, in conversation: ConversationView) -> String {
        guard let known = memory[id] else {
            return " " + language(.inConversation, answers.name(conversation), String(id.hexadecimal.prefix(8)))
        }
        return ": \(clock(known.time)) \(known.author)"
    }
}
