package import Chat
import ChatNode
import Phrases
import Wire

/// Commands that answer and react to a message, and those of the notice board.
extension CommandEntry {
    static let smallTalk: [CommandEntry] = [
        CommandEntry(
            "re", [.target, .text], .talk, Phrase("answer the message with ID", "ID 메시지에 답합니다"),
            pace: .messages(1),
            .inRoom { turn throws(ChatError) in
                let text = try SlashRule.said(turn.operands.text)
                return try turn.perform(.send(text, to: turn.conversation, replyTo: turn.operands["id"]))
            }),
        CommandEntry(
            "react", [.target, .emoji], .talk,
            Phrase("give the message with ID an emoji, or list who gave which", "ID 메시지에 이모지를 답니다. 이모지가 없으면 목록을 봅니다"),
            pace: .reactions,
            .inRoom { turn throws(ChatError) in
                let id = turn.operands["id"] ?? ""
                guard let emoji = turn.operands["emoji"] else {
                    return try .reactors(turn.node.chat.reactors(id, in: turn.conversation))
                }
                return try turn.perform(.react(id, of: turn.conversation, .set(emoji)))
            }),
        CommandEntry(
            "unreact", [.target, .emoji], .talk,
            Phrase("take your emoji back from the message with ID, or all of them", "ID 메시지에서 내 이모지를 지웁니다"),
            pace: .reactions,
            .inRoom { turn throws(ChatError) in
                let change = turn.operands["emoji"].map { ReactionChange.unset($0) } ?? .clear
                return try turn.perform(.react(turn.operands["id"] ?? "", of: turn.conversation, change))
            }),
        card,
        board,
    ]

    static let card = CommandEntry(
        "card", [.removal, .color, .title, .cardText], .talk,
        Phrase(
            "put a card on the notice board; --color NAME in front: its colour; /card remove [ID]: take one down",
            "게시판에 카드를 붙입니다. 앞에 --color 이름: 색, /card remove [ID]: 떼기"),
        pace: .card,
        .inRoom { turn throws(ChatError) in
            if let id = turn.operands["remove"] { return try turn.perform(.removeCard(id.isEmpty ? nil : id)) }
            // A text that is written in a direct conversation may be meant for its peer alone.
            if case .direct = turn.conversation { throw ChatError(.directOpen, .cardInDirect, turn.room.label.name) }
            return try turn.postCard()
        })

    /// `card` of programs that name the room.
    static let cardToRoom = CommandEntry(
        "card", [.color, .title, .cardText], nil, Phrase("a card for the room", "방에 붙이는 카드"), pace: .card,
        isTyped: false,
        .inRoom { turn throws(ChatError) in try turn.postCard() })

    static let board = CommandEntry(
        "board", [], .talk, Phrase("the cards on the notice board", "게시판의 카드"),
        .inRoom { .board($0.node.chat.board) })
}

extension CommandTurn {
    fileprivate func postCard() throws(ChatError) -> Answer? {
        let color = try CardColor(named: operands["color"])
        return try perform(.post(title: operands["title"] ?? "", text: SlashRule.said(operands.text), color))
    }
}

extension CardContent {
    /// Reads a card as programs give it.
    ///
    /// - Parameter color: nil for the usual one.
    /// - Throws: the refusal of a text or a colour that breaks a rule.
    package init(given title: String, text: String, color: String?) throws(ChatError) {
        self = try CardContent(composing: title, text: SlashRule.said(text), color: CardColor(named: color))
    }
}

extension CardColor {
    /// - Parameter name: nil for the usual one.
    fileprivate init(named name: String?) throws(ChatError) {
        guard let color = CardColor(name: name ?? CardColor.usual.name) else {
            let names = CardColor.allCases.map(\.name).joined(separator: ", ")
            throw ChatError(.invalidCard, .badCardColor, CommandEntry.card.name, names)
        }
        self = color
    }
}
