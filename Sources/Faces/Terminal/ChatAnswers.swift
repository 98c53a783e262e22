import Chat
import ChatNode
import Commands
import LineEditor
import Model
import Phrases
import Rendering
import Wire

/// The answers of commands.
extension ChatView {
    mutating func show(_ answer: Answer, _ report: RoomReport, at now: Instant, wallClock: Timestamp) {
        switch answer {
        case .active(_, let conversation, let recent), .parted(_, let conversation, let recent):
            open(RoomConversation(report.room, conversation), recent, report, at: wallClock)
        case .joined(let recent):
            open(RoomConversation(report.room, .publicRoom), recent, report, at: wallClock)
            tell(report, at: wallClock)
        case .made:
            open(RoomConversation(report.room, .publicRoom), [], report, at: wallClock)
            tell(report, at: wallClock)
        case .history(let conversation, let messages):
            show(messages, under: headOfHistory(conversation, messages, report.room))
        case .found: show(answer, report, at: wallClock)
        case .peers(let peers, let isWhole, let here):
            let shown = isWhole ? peers : peers.filter { $0.state != .left }
            tell(RoomReport(report.room, .answer(.peers(shown, isWhole: isWhole, here: here))), at: wallClock)
        case .help(let entries) where entries.count > 1: for line in help(entries) { add(line) }
        case .statistics:
            tellPlace(of: report.room, at: wallClock)
            tell(report, at: wallClock)
        case .wiped:
            let lines = notices(of: report, at: wallClock).map { rendering.notice($0, at: wallClock) }
            self = ChatView(rendering.forgotten, showsAll: showsAll)
            lines.forEach { add($0) }
        case .done(command: "nick", let me):
            name(me, in: report.room)
            tell(report, at: wallClock)
        case .requests, .unread, .rooms, .invited, .announced, .contacts, .blocked, .help, .whoami, .bridge, .person,
            .verification,
            .done:
            tell(report, at: wallClock)
        }
    }

    private mutating func tell(_ report: RoomReport, at time: Timestamp) {
        for text in notices(of: report, at: time) { add(rendering.notice(text, at: time), of: time) }
    }

    /// The messages that a search has found.
    private mutating func show(_ answer: Answer, _ report: RoomReport, at time: Timestamp) {
        let head = notices(of: report, at: time)
        guard case .found(_, _, let messages) = answer else { return }
        show(messages, under: head.first ?? "")
    }

    /// Shows a conversation that was opened: a rule with its name, and its last messages.
    private mutating func open(
        _ target: RoomConversation, _ messages: [MessageView], _ report: RoomReport, at time: Timestamp
    ) {
        let texts = notices(of: report, at: time)
        let isParting = if case .answer(.parted) = report.report { true } else { false }
        if isParting { for text in texts { add(rendering.notice(text, at: time), of: time) } }
        // Another room was left, and the open conversation stays the same.
        if isParting, target.place == prompt.open?.place { return }
        look(at: target)
        rendering.mention = change(target.room) { $0.mention }
        if case .direct(let who) = target.conversation {
            prompt.correspondent = model.person(who.key, in: target.room)?.state ?? .left
        }
        log = messages
        let name =
            switch target.conversation {
            case .publicRoom: DisplayGuard.safe(target.room.name)
            case .direct(let who): who.displayName
            }
        show(showsAll ? [] : Array(messages.suffix(ChatView.shownOnOpening)), under: name)
    }

    /// Shows stored messages below a rule.
    private mutating func show(_ messages: [MessageView], under head: String) {
        add(rendering.rule(head))
        for message in messages { add(rendering.line(of: message), of: PlainMessage.time(of: message)) }
    }

    private func headOfHistory(
        _ conversation: ConversationView, _ messages: [MessageView], _ room: RoomLabel
    ) -> String {
        PlainAnswers(language: language, clock: rendering.clock, day: rendering.day, room: room.name).historyHead(
            conversation, count: messages.count)
    }

    private mutating func tellPlace(of label: RoomLabel, at time: Timestamp) {
        guard case .ready(_, let port, let room, let discovery) = rooms[label.number]?.ready else { return }
        let mode = PlainOutput.description(of: discovery, in: language)
        add(rendering.notice(language(.portLine, DisplayGuard.safe(room), "\(port)", mode), at: time), of: time)
    }

    /// The commands by groups: a row or two for each.
    private func help(_ entries: [CommandEntry]) -> [ChatLine] {
        let titles = CommandEntry.Group.allCases.map { language($0.title) }
        let width = (titles.map { DisplayWidth.of($0) }.max() ?? 0) + 2
        let groups = zip(CommandEntry.Group.allCases, titles).map { group, title -> ChatLine in
            let blanks = String(repeating: " ", count: width - DisplayWidth.of(title))
            var line = StyledText(title + blanks, rendering.theme.own)
            let usages = ChatView.usages(of: entries.filter { $0.group == group })
            line.append(usages.joined(separator: "  "))
            return ChatLine(text: line, indent: width)
        }
        let notes = [language(.helpNote), language(.keysNote)].map {
            ChatLine(text: StyledText($0, rendering.theme.notice), indent: 2)
        }
        return groups + notes
    }

    /// Commands with equal operands together, each with the one that takes it back, as in `/[un]mute|[un]block WHO`. A
    /// command is not cut from its operands.
    private static func usages(of entries: [CommandEntry]) -> [String] {
        let names = Set(entries.map(\.name))
        let listed = entries.filter { !$0.name.hasPrefix("un") || !names.contains(String($0.name.dropFirst(2))) }
        var usages: [(names: String, operands: String)] = []
        for entry in listed {
            let name = names.contains("un" + entry.name) ? "[un]" + entry.name : entry.name
            if let last = usages.last, !last.operands.isEmpty, last.operands == entry.operandsText {
                usages[usages.count - 1].names += "|" + name
            } else {
                usages.append(("/" + name, entry.operandsText))
            }
        }
        return usages.map { ($0.operands.isEmpty ? $0.names : "\($0.names) \($0.operands)").replacingSpaces() }
    }
}

extension String {
    /// The text with no-break spaces, at which no row ends.
    fileprivate func replacingSpaces() -> String { String(map { $0 == " " ? "\u{a0}" : $0 }) }
}

extension ChatRendering {
    /// Without what was learned of peers.
    var forgotten: ChatRendering { ChatRendering(language: language, theme: theme, clock: clock, day: day) }
}
