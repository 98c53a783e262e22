package import Chat
import Phrases
package import Wire

/// `/board`.
package struct BoardAnswer: AnswerContent {
    package let cards: [CardView]

    package func lines(_ wording: Wording, at time: Timestamp) -> [String] {
        guard !cards.isEmpty else { return [wording.language(.emptyBoard)] }
        return cards.map { card in
            wording.language(
                .cardRow, String(card.id.hexadecimal.prefix(8)), wording.card(card), card.from.displayName,
                wording.moment(card.expiresAt, at: time))
        }
    }

    package func write(to json: inout JSONWriter) { json.list("cards", cards) { $0.members(of: $1) } }

    package func texts(in room: RoomLabel) -> [AnswerText] { cards.map { AnswerText($0, in: room) } }
}

/// `/react` without an emoji: the authors of each emoji on a message.
package struct ReactorList: AnswerContent {
    package let message: MessageView
    package let emojis: [(emoji: String, who: [PeerName])]

    package func lines(_ wording: Wording, at _: Timestamp) -> [String] {
        guard !emojis.isEmpty else { return [wording.language(.noReactions)] }
        return emojis.map { emoji, who in
            let names = who.prefix(ReactorList.named).map(\.displayName).joined(separator: ", ")
            let more = who.count > ReactorList.named ? ", …" : ""
            return "\(DisplayGuard.safe(emoji)) \(who.count): \(names)\(more)"
        }
    }

    /// Of one emoji; a crowd may have given it.
    private static let named = 20

    package func write(to json: inout JSONWriter) {
        json.members(of: message.conversation)
        json.member("id", message.id.hexadecimal)
        json.list("reactions", emojis) { json, row in
            json.member("emoji", row.emoji)
            json.list("who", row.who) { $0.members(of: $1) }
        }
    }

    package func texts(in room: RoomLabel) -> [AnswerText] { [AnswerText(message, in: room)] }
}

extension Wording {
    /// A card in one line: its title and its text, safe to show.
    package func card(_ card: CardView) -> String {
        "\(DisplayGuard.safe(card.content.title)): \(DisplayGuard.safe(card.content.text))"
    }
}

extension Answer {
    package static func board(_ cards: [CardView]) -> Answer { Answer("board", BoardAnswer(cards: cards)) }

    package static func reactors(_ list: (message: MessageView, emojis: [(emoji: String, who: [PeerName])])) -> Answer {
        Answer("react", ReactorList(message: list.message, emojis: list.emojis))
    }
}
