package import Commands
package import Chat
import ChatNode
package import Model
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
    /// A message that is kept; nil if it is not.
    private let find: @Sendable (ConversationView, MessageID) -> MessageView?

    package init(
        clock: @escaping @Sendable (Timestamp) -> String,
        day: @escaping @Sendable (Timestamp) -> String = { UniversalTime($0).date }, language: Language = .english,
        room: String? = nil, find: @escaping @Sendable (ConversationView, MessageID) -> MessageView? = { _, _ in nil }
    ) {
        self.find = find
        self.clock = clock
        self.day = day
        self.language = language
        self.room = room
    }

    private var wording: Wording { Wording(language: language, clock: clock, day: day, room: room) }

    /// - Parameter changes: those of the chat by the report, with the state before each.
    package func rendering(of report: Report, _ changes: [ModelChange], at time: Timestamp) -> Rendering {
        switch report {
        case .event(.message(let message)):
            let mark = PlainMessage.isMissed(message, at: time) ? language(.missedMark) + " " : ""
            return Rendering(output: Array(line(message, mark, at: time).utf8))
        case .event(.notice(let code, let sentence)) where code.isWarning:
            return PlainOutput.diagnostics(sentence.text(in: language))
        case .error(let error): return PlainOutput.diagnostics(error.sentence.text(in: language))
        case .answer(let answer):
            let messages = (answer.content as? MessageList)?.messages ?? []
            let head = rows(notices(of: report, changes, at: time), at: time)
            return Rendering(output: messages.reduce(into: head) { $0 += Array(line($1, at: time).utf8) })
        case .event, .entered, .opened, .viewed, .leaving, .snapshot, .listening, .entering:
            return Rendering(output: rows(notices(of: report, changes, at: time), at: time))
        }
    }

    /// The texts of a report's notices, without their time; none for a message and an error.
    package func notices(of report: Report, _ changes: [ModelChange], at time: Timestamp) -> [String] {
        switch report {
        case .event(.message), .error, .entered, .viewed, .leaving, .snapshot: return []
        case .opened(let conversation, let recent):
            return Opening(conversation, recent: recent).lines(wording, at: time)
        case .listening(let place):
            // A link has the token in it.
            guard place.url == nil, let file = place.tokenFile else {
                return [language(.listening, place.face, place.url ?? place.address)]
            }
            return [language(.listeningWithToken, place.face, place.address, DisplayGuard.safe(file))]
        case .entering(let count): return [language(.roomsFollow, "\(count)")]
        case .event(.failed(let who, let messages)): return messages.map { failure($0, with: who) }
        case .event(let event): return notice(event, changes).map { [$0] } ?? []
        case .answer(let answer): return answer.content.lines(wording, at: time)
        }
    }

    private static func diagnostics(_ text: String) -> Rendering {
        Rendering(diagnostics: Array("earshot: \(DisplayGuard.safe(text))\n".utf8))
    }

    private func rows(_ texts: [String], at time: Timestamp) -> [UInt8] {
        Array(texts.map { "\(clock(time)) * \($0)\n" }.joined().utf8)
    }

    private func line(_ message: MessageView, _ mark: String = "", at now: Timestamp) -> String {
        let time = PlainMessage.time(of: message)
        let date = time < now && day(time) != day(now) ? "\(day(time)) " : ""
        return "\(date)\(clock(time)) \(mark)\(PlainMessage(message, quote: quote(in: message)).text)\n"
    }

    /// The beginning of the answered message; nil for a message that answers none.
    private func quote(in message: MessageView) -> String? {
        guard let target = message.replyTo else { return nil }
        guard let answered = find(message.conversation, target) else { return language(.answersUnknown) }
        return language(
            .answers, answered.from.displayName, PlainOutput.beginning(of: answered.action ?? answered.text))
    }

    /// Reactions to the user's messages and those of the user. In a crowd all would be too many. A change that came of no payload is
    /// one of what is shown, as behind `/block`: its author did nothing.
    private func notice(_ reaction: ReactionEvent) -> String? {
        let message = reaction.message
        guard !reaction.isHistory, reaction.id != nil, message.isFromCurrentUser || reaction.isFromCurrentUser else {
            return nil
        }
        let text = PlainOutput.beginning(of: message.action ?? message.text)
        let emojis = reaction.emojis.map(DisplayGuard.safe).joined(separator: " ")
        guard !reaction.isFromCurrentUser else {
            return emojis.isEmpty ? language(.ownReactionsGone, text) : language(.ownReacted, emojis, text)
        }
        let who = reaction.by.displayName
        return emojis.isEmpty ? language(.reactionsGone, who, text) : language(.reacted, who, emojis, text)
    }

    /// The card that an event took down, as it was. The block that hid one has its own answer.
    private static func removed(_ changes: [ModelChange], _ reason: CardEnd) -> CardView? {
        guard reason != .hidden else { return nil }
        for case .board(_, let card, isUp: false) in changes { return card }
        return nil
    }

    private func cardGone(_ card: CardView) -> String {
        language(.cardGone, card.from.displayName, DisplayGuard.safe(card.content.title))
    }

    /// Nil for events without a line.
    private func notice(_ event: NodeEvent, _ changes: [ModelChange]) -> String? {
        switch event {
        case .ready(let me, let port, let room, let isPrivate, let discovery):
            let place = language(isPrivate ? .privateRoom : .openRoom, DisplayGuard.safe(room))
            let mode = PlainOutput.description(of: discovery, in: language)
            return language(.youAreIn, me.displayName, place, "\(port)", mode)
        case .peer(let state, let who, let reason, was: _, online: _): return presence(state, who, reason, changes)
        case .crowd(let came, let left, let online):
            return language(.crowdNews, language.movements(came: came, left: left), "\(online + 1)")
        case .elsewhere(let state, let who, let reason, was: _):
            return presence(state, who, reason, changes, isElsewhere: true)
        case .request(let who, let text):
            return language(.request, who.displayName, who.numberText, DisplayGuard.safe(text))
        case .invitation(let who, let room, let isThere):
            let name = DisplayGuard.safe(room.name)
            return language(isThere ? .invitesThere : .invites, who.displayName, name, wording.operand(room.name))
        case .direct(.accepted, let who): return language(.directAccepted, who.displayName)
        case .direct(.declined, let who): return language(.directDeclined, who.displayName)
        case .direct(.left, let who): return language(.directLeft, who.displayName)
        case .edited(let message):
            let (kept, was) = PlainOutput.changed(changes)
            let mark = kept == nil ? ":" : ""
            let before = was.map { language(.wasText, PlainOutput.beginning(of: $0)) } ?? ""
            return language(
                .edited, reference(to: message, kept) + mark, PlainMessage.content(of: message)) + before
        case .deleted(let message): return language(.deleted, reference(to: message, PlainOutput.changed(changes).kept))
        case .reacted(let reaction): return notice(reaction)
        case .card(let card):
            return card.isHistory ? nil : language(.cardPosted, card.from.displayName, wording.card(card))
        case .cardRemoved(_, let reason): return PlainOutput.removed(changes, reason).map(cardGone)
        case .notice(_, let sentence): return DisplayGuard.safe(sentence.text(in: language))
        case .read(let who, ids: _): return language(.hasRead, who.displayName)
        case .renamed(let me, was: _): return language(.nowCalled, me.displayName)
        case .status(let status, let was):
            let isSame = (status.state, status.reason) == (was.state, was.reason)
            return isSame ? language(.aboutChanged) : wording.line(of: status)
        case .message, .delivered, .failed, .typing, .person, .blocked, .stopped: return nil
        }
    }

    /// A new name, state or reason is worth a line; a stage that grew is not.
    private func presence(
        _ state: PresenceState, _ who: PeerName, _ reason: String?, _ changes: [ModelChange], isElsewhere: Bool = false
    ) -> String? {
        let name = who.displayName
        let before = PlainOutput.sighting(of: who, before: changes)
        guard before?.state != state || before?.who.displayName != name || before?.reason != reason else { return nil }
        if let before, before.state == state, before.who.displayName != name {
            return language(.peerRenamed, before.who.displayName, name)
        }
        if before != nil, state == .here { return language(.peerBack, name) }
        return switch state {
        case .here: language(isElsewhere ? .peerElsewhere : .peerHere, name)
        case .away: reason.map { language(.peerAwayFor, name, DisplayGuard.safe($0)) } ?? language(.peerAway, name)
        case .left: language(.peerGone, name)
        }
    }

    /// The person before an event; nil if it was not here.
    private static func sighting(of who: PeerName, before changes: [ModelChange]) -> ModelPerson? {
        for case .person(_, let now, was: let was?) in changes where now.who.key == who.key {
            return was.isHere ? was : nil
        }
        return nil
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

    /// How the line of a message began; of one that is not kept, where it is and the beginning of its id.
    ///
    /// - Parameter kept: the message; nil for one that is not kept.
    private func reference(to message: MessageView, _ kept: MessageView?) -> String {
        guard let kept else {
            let id = String(message.id.hexadecimal.prefix(8))
            return " " + language(.inConversation, wording.name(message.conversation), id)
        }
        return ": \(clock(PlainMessage.time(of: kept))) \(PlainMessage(kept).author)"
    }

    /// The message that an edit or a deletion changed, nil if it was not kept; and the text that an edit has replaced.
    private static func changed(_ changes: [ModelChange]) -> (kept: MessageView?, was: String?) {
        for change in changes {
            switch change {
            case .edited(_, let message, let was, at: .some): return (message, was)
            case .removed(_, let message, at: .some): return (message, nil)
            case .began, .changed, .moved, .ended, .person, .conversation, .conversationEnded, .message, .edited,
                .removed, .reacted, .board, .delivery, .refreshed, .unread, .typing, .note, .request, .invitations,
                .active, .erased:
                continue
            }
        }
        return (nil, nil)
    }
}
