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
    /// - Parameter isMoved: whether another conversation is open now.
    mutating func show(_ answer: Answer, _ report: RoomReport, isMoved: Bool, at wallClock: Timestamp) {
        rendering.me = model.room(report.room.number)?.me
        switch answer.content {
        case let opening as Opening: show(opening, report, isMoved: isMoved, at: wallClock)
        case let list as MessageList:
            show(list.messages, in: report.room, under: notices(of: report, at: wallClock).first ?? "")
        case let list as BoardAnswer where !list.cards.isEmpty: for card in list.cards { show(card, at: wallClock) }
        case let list as PeerList: show(list.isWhole ? list : list.present, report, at: wallClock)
        case let list as CommandList where list.entries.count > 1: for line in help(list.entries) { add(line) }
        case is Counters:
            tellPlace(of: report.room, at: wallClock)
            tell(report, at: wallClock)
        case is Wiped:
            let lines = notices(of: report, at: wallClock).map { rendering.notice($0, at: wallClock) }
            forget()
            lines.forEach { add($0) }
        default:
            if let list = answer.content as? RoomList { announced = list.announced.map(\.name) }
            tell(report, at: wallClock)
        }
    }

    private mutating func show(_ opening: Opening, _ report: RoomReport, isMoved: Bool, at time: Timestamp) {
        switch opening.way {
        case .opened: showOpen(at: time)
        case .entered, .joined, .made:
            showOpen(at: time)
            tell(report, at: time)
        case .parted:
            tell(report, at: time)
            if isMoved { showOpen(at: time) }
        }
    }

    /// The rows of `/who` as a table.
    private mutating func show(_ list: PeerList, _ report: RoomReport, at time: Timestamp) {
        for note in list.notes(language) { add(rendering.notice(note, at: time), of: time) }
        let wording = Wording(language: language, clock: rendering.clock, day: rendering.day, room: report.room.name)
        let table = list.table(wording, at: time)
        // A column without a cell has no head.
        let columns = (table.first?.cells.indices ?? 0..<0).filter { column in
            table.dropFirst().contains { !$0.cells[column].isEmpty }
        }
        guard !columns.isEmpty else { return }
        let widths = columns.map { column in table.map { DisplayWidth.of($0.cells[column]) }.max() ?? 0 }
        for (who, all) in table {
            let cells = columns.map { all[$0] }
            let isOwn = who != nil && who == list.me?.who
            var line = StyledText("  ")
            for (column, cell) in cells.enumerated() {
                let isLast = cells[(column + 1)...].allSatisfy(\.isEmpty)
                let blanks = isLast ? 0 : widths[column] - DisplayWidth.of(cell) + 2
                let style = rendering.style(ofRow: who, isOwn: isOwn, column: column)
                line.append(cell, style)
                line.append(String(repeating: " ", count: blanks), who == nil ? style : .plain)
                if isLast { break }
            }
            add(ChatLine(text: line, indent: 4))
        }
    }

    private mutating func tell(_ report: RoomReport, at time: Timestamp) {
        for text in notices(of: report, at: time) { add(rendering.notice(text, at: time), of: time) }
    }

    /// Shows the conversation that was opened: a rule with its name, and its last messages.
    mutating func showOpen(at time: Timestamp) {
        guard let open, let room = model.room(open.room), let conversation = model.conversation(open) else { return }
        rendering.me = room.me
        let name =
            switch conversation.view {
            case .publicRoom: DisplayGuard.safe(room.label.name)
            case .direct(let who): who.displayName
            }
        show(showsAll ? [] : log.suffix(ChatView.shownOnOpening), in: room.label, under: name)
    }

    /// Shows stored messages below a rule.
    private mutating func show(_ messages: some Sequence<MessageView>, in room: RoomLabel, under head: String) {
        add(rendering.rule(head))
        for message in messages {
            add(line(of: message, in: ConversationID(room, message.conversation)), of: PlainMessage.time(of: message))
        }
    }

    mutating func show(_ card: CardView, at time: Timestamp) {
        for line in rendering.box(of: card, at: time) { add(line) }
    }

    private mutating func tellPlace(of label: RoomLabel, at time: Timestamp) {
        guard let room = model.room(label.number), let port = room.port, let discovery = room.discovery else { return }
        let (name, mode) = (DisplayGuard.safe(label.name), PlainOutput.description(of: discovery, in: language))
        add(rendering.notice(language(.portLine, name, "\(port)", mode), at: time), of: time)
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
