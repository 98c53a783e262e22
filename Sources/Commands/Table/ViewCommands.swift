import Chat
import ChatNode
import Phrases
import Wire

/// Commands that open conversations and show them.
extension CommandEntry {
    static let view: [CommandEntry] = [
        CommandEntry(
            "unread", [], .view,
            Phrase("each conversation's unread count and last message", "대화마다 안 읽은 메시지 수와 마지막 메시지"),
            .inProgram { _, _, rooms in .unread(rooms.overview) }),
        CommandEntry(
            "open", [.place], .view,
            Phrase(
                "look at this conversation; the others count unread",
                "이 대화를 봅니다. 나머지는 안 읽은 메시지로 셉니다"),
            aliases: ["query"], replacesView: true, opensConversation: true,
            .inProgram { turn, _, rooms throws(ChatError) in try turn.open(rooms) }),
        CommandEntry(
            "close", [], .view, Phrase("back to the room", "방의 대화로 돌아갑니다"), replacesView: true, opensConversation: true,
            .inRoom { $0.open(.publicRoom, by: "close") }),
        CommandEntry(
            "history", [.anyone], .view, Phrase("the latest messages, at most 100", "지난 메시지, 최대 100개"),
            .inRoom { turn throws(ChatError) in
                let conversation = try turn.operands["who"] == nil ? turn.conversation : .direct(turn.peer())
                return .history(turn.node.chat.view(conversation), turn.node.chat.messages(in: conversation))
            }),
        CommandEntry(
            "search", [.text], .view,
            Phrase("messages of this conversation that have TEXT", "이 대화에서 TEXT가 있는 글"),
            .inRoom { turn in
                let wanted = turn.operands.text.lowercased()
                let messages = turn.node.chat.messages(in: turn.conversation)
                let found = messages.filter { $0.text.lowercased().hasPart(wanted) }
                let view = turn.node.chat.view(turn.conversation)
                return Answer("search", MessageList(view: view, messages: found, wanted: turn.operands.text))
            }),
    ]
}

extension CommandTurn {
    /// Opens a room or a direct conversation: of a line that is found now, of a program it is the one or the other.
    fileprivate mutating func open(_ rooms: isolated Program) throws(ChatError) -> Answer {
        let place = operands["place"]
        if place == "public" { return open(.publicRoom, by: "open") }
        if let name = operands["room"] ?? place {
            if let other = rooms.named(name) {
                room = other
                return open(.publicRoom, by: "open")
            }
            guard place != nil else { throw ChatError(.unknownRoom, .unknownRoom, name) }
        }
        return open(.direct(try node.chat.find(place ?? operands.who)), by: "open")
    }
}
