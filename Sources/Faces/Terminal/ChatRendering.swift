import Commands
import Chat
import ChatNode
import LineEditor
import Model
package import Phrases
import Rendering
package import Wire

/// Makes the lines of messages, notices and rules.
package struct ChatRendering: Sendable {
    package let language: Language
    package internal(set) var theme: Theme
    /// The time of day and the date where the user is.
    package let clock: @Sendable (Timestamp) -> String
    package let day: @Sendable (Timestamp) -> String
    var colors = AuthorColors()
    /// The user, whose names are highlighted; nil for none.
    var me: PeerName? {
        didSet { if me != oldValue { mention = me.map { Mention(of: $0) } } }
    }
    private(set) var mention: Mention?

    package init(
        language: Language, theme: Theme, clock: @escaping @Sendable (Timestamp) -> String,
        day: @escaping @Sendable (Timestamp) -> String
    ) {
        (self.language, self.theme, self.clock, self.day) = (language, theme, clock, day)
    }

    /// `HH:MM:SS <name> text`; a direct message has `[name → you]` in its place.
    mutating func line(of message: MessageView) -> ChatLine {
        let isOld = message.isHistory && !message.isMissed
        let author = author(of: message)
        var text = StyledText(clock(PlainMessage.time(of: message)) + " ", theme.time)
        text.append(author.text, isOld ? theme.history : author.style)
        text.append(" ")
        let head = text.width
        let content = PlainMessage.content(of: message)
        if isOld {
            text.append(content, theme.history)
        } else if message.isFromCurrentUser {
            text.append(content)
        } else {
            text.append(highlighted(content))
        }
        if message.isEdited { text.append(" " + language(.editedMark), theme.notice) }
        let mark = message.delivery.map(ChatRendering.mark)
        return ChatLine(
            text: text, indent: head, message: message.id, head: head, reactions: reactions(to: message), mark: mark)
    }

    /// `👍 3` for each emoji on a message; one that the user gave is bold.
    private func reactions(to message: MessageView) -> [StyledText] {
        message.reactions.map { reaction in
            let count = reaction.count > 1 ? "\(reaction.count)" : ""
            return StyledText(DisplayGuard.safe(reaction.emoji) + count, reaction.isOwn ? theme.own : theme.notice)
        }
    }

    /// The row above an answer: the author and the beginning of the answered message.
    ///
    /// - Parameters:
    ///   - answered: nil for a message that is not kept.
    ///   - isDeleted: whether that was deleted.
    func quote(of answered: MessageView?, isDeleted: Bool = false) -> StyledText {
        guard let answered else {
            return StyledText("↳ " + language(isDeleted ? .deletedTarget : .notHere), theme.notice)
        }
        let text = PlainOutput.beginning(of: answered.action ?? answered.text)
        return StyledText("↳ \(answered.from.displayName): \(text)", theme.notice)
    }

    /// A card as a box of its colour, which is open on the right: title, text, and who put it up until when.
    ///
    /// - Parameter time: now: an end on another day has its date.
    func box(of card: CardView, at time: Timestamp) -> [ChatLine] {
        let frame = theme.card(card.content.color)
        let id = String(card.id.hexadecimal.prefix(8))
        let end = language(.cardUntil, wording.moment(card.expiresAt, at: time))
        let foot = "\(card.from.displayName) · \(end) · \(id)"
        var title = frame
        title.isBold = theme.own.isBold
        return [
            ChatRendering.row("┏ ", frame, StyledText(DisplayGuard.safe(card.content.title), title)),
            ChatRendering.row("┃ ", frame, StyledText(DisplayGuard.safe(card.content.text))),
            ChatRendering.row("┗ ", frame, StyledText(foot, theme.notice)),
        ]
    }

    private var wording: Wording { Wording(language: language, clock: clock, day: day) }

    private static func row(_ border: String, _ style: Style, _ text: StyledText) -> ChatLine {
        ChatLine(text: text, border: StyledText(border, style))
    }

    /// The line of a message in a conversation that is not open: `· small-fox → you: text`, in another room
    /// `· kitchen · small-fox: text`.
    ///
    /// - Parameters:
    ///   - name: the name of the author, or of the receiver of an own message.
    ///   - room: the name of the room; nil for the open one.
    func elsewhere(_ message: MessageView, name: String, room: String?) -> ChatLine {
        let content = PlainMessage.content(of: message)
        let place = room.map { "\(DisplayGuard.safe($0)) · " } ?? ""
        let names =
            switch message.conversation {
            case .publicRoom: name
            case .direct: language(message.isFromCurrentUser ? .fromYou : .toYou, name)
            }
        let isAction = message.action != nil
        let head = "· \(place)\(isAction ? PlainMessage.actionSign + " " : "")\(names)\(isAction ? " " : ": ")"
        return ChatLine(
            text: StyledText(head + content, theme.notice), indent: 2, message: message.id,
            head: DisplayWidth.of(head), mark: message.delivery.map(ChatRendering.mark), isOneRow: true)
    }

    func notice(_ text: String, at time: Timestamp, _ style: Style? = nil) -> ChatLine {
        var line = StyledText(clock(time) + " ", theme.time)
        line.append("* ", style ?? theme.notice)
        let indent = line.width
        line.append(text, style ?? theme.notice)
        return ChatLine(text: line, indent: indent)
    }

    func error(_ text: String) -> ChatLine { ChatLine(text: StyledText("! \(text)", theme.error), indent: 2) }

    func rule(_ text: String) -> ChatLine {
        ChatLine(text: StyledText("— \(text) —", theme.rule), isOneRow: true)
    }

    /// A command as it was typed, which leaves no other trace.
    func echo(of command: String) -> ChatLine {
        ChatLine(text: StyledText("> " + DisplayGuard.safe(command), theme.notice), indent: 2)
    }

    /// The style of a cell of `/who`: its head is dim, and a name has the colour of its messages.
    mutating func style(ofRow who: PeerName?, isOwn: Bool, column: Int) -> Style {
        guard let who else { return theme.notice }
        guard column == 0 else { return .plain }
        return isOwn ? theme.own : theme.author(colors[who.key])
    }

    static func mark(_ delivery: DeliveryState) -> String {
        switch delivery {
        case .sending: "…"
        case .delivered: "✓"
        case .read: "✓✓"
        case .failed: "✗"
        }
    }

    /// An action names who does it, the user too.
    private mutating func author(of message: MessageView) -> (text: String, style: Style) {
        let name = message.from.displayName
        let sign = message.action == nil ? "" : PlainMessage.actionSign + " "
        switch message.conversation {
        case .publicRoom:
            let style = message.isFromCurrentUser ? theme.own : theme.author(colors[message.from.key])
            guard message.action == nil else { return (sign + name, style) }
            return ("<\(message.isFromCurrentUser ? language(.you) : name)>", style)
        case .direct(let who) where message.isFromCurrentUser:
            var style = theme.direct
            style.isBold = theme.own.isBold
            return ("\(sign)[\(language(.fromYou, who.displayName))]", style)
        case .direct: return ("\(sign)[\(language(.toYou, name))]", theme.direct)
        }
    }

    /// The text with the own name and number highlighted; `text` is safe to show.
    private func highlighted(_ text: String) -> StyledText {
        var result = StyledText()
        var rest = text[...]
        for range in mention?.ranges(in: text) ?? [] {
            result.append(String(rest[..<range.lowerBound]))
            result.append(String(text[range]), theme.mention)
            rest = text[range.upperBound...]
        }
        result.append(String(rest))
        return result
    }
}
