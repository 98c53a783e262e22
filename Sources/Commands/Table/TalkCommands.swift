package import Chat
import ChatNode
import Phrases
import Wire

/// Commands that say and change messages.
extension CommandEntry {
    static let talk: [CommandEntry] = [
        msg,
        CommandEntry(
            "reply", [.text], .talk, Phrase("answer the latest direct message", "마지막 일대일 메시지에 답합니다"),
            pace: .messages(1),
            .inRoom { turn throws(ChatError) in
                try turn.say(turn.operands.text, to: turn.node.chat.latestCorrespondent())
            }),
        me,
        CommandEntry(
            "edit", [.message, .text], .talk,
            Phrase("change your last message here, or the one with ID", "여기에 쓴 내 마지막 메시지나 ID 메시지를 고칩니다"),
            pace: .messages(1),
            .inProgram { turn, _, rooms throws(ChatError) in
                let action = SlashRule.action(turn.operands.text)
                let text = if let action { action } else { try SlashRule.said(turn.operands.text) }
                return try turn.edit(turn.operands["id"], text, isAction: action != nil, rooms)
            }),
        CommandEntry(
            "delete", [.message], .talk,
            Phrase("take back your last message here, or the one with ID", "여기에 쓴 내 마지막 메시지나 ID 메시지를 지웁니다"),
            pace: .messages(1),
            .inProgram { turn, _, rooms throws(ChatError) in
                let target = turn.operands["id"]
                if target == nil { try rooms.checkLastSaid(in: turn.room, turn.conversation) }
                return try turn.perform(.delete(target, of: turn.conversation))
            }),
    ]

    static let msg = CommandEntry(
        "msg", [.who, .text, .replyTo], .talk,
        Phrase("a direct message; the first one is a request", "일대일 대화. 첫 메시지는 요청입니다"),
        pace: .messages(1),
        .inRoom { turn throws(ChatError) in
            try turn.say(turn.operands.text, to: turn.peer(), replyTo: turn.operands["replyTo"])
        })

    static let me = CommandEntry(
        "me", [.text], .talk, Phrase("say what you do", "무엇을 하는지 말합니다"), pace: .messages(1),
        .inRoom { turn throws(ChatError) in
            let text = ActionText.text(turn.operands.text, by: turn.node.chat.ownName.nickname)
            return try turn.perform(.send(text, to: turn.conversation))
        })

    /// A line without a command.
    static let say = CommandEntry(
        "", [.text], nil, Phrase("a message", "메시지"), pace: .messages(1),
        .inRoom { turn throws(ChatError) in
            try turn.perform(.send(turn.operands.text, to: turn.conversation))
        })

    /// `say` of programs.
    static let sayToRoom = CommandEntry(
        "say", [.text, .replyTo], nil, Phrase("a message to the room", "방에 보내는 메시지"), pace: .messages(1),
        isTyped: false,
        .inRoom { turn throws(ChatError) in
            try turn.perform(
                .send(SlashRule.said(turn.operands.text), to: .publicRoom, replyTo: turn.operands["replyTo"]))
        })

    static let direct: [CommandEntry] = [
        CommandEntry(
            "requests", [], .direct, Phrase("open requests for direct conversations", "기다리는 대화 요청"),
            .inRoom { .requests($0.node.requests()) }),
        CommandEntry(
            "leave", [.who(.conversing)], .direct,
            Phrase("end the direct conversation with WHO", "WHO와의 대화를 끝냅니다"),
            .inRoom { turn throws(ChatError) in try turn.perform(.leave(turn.peer())) }),
        CommandEntry(
            "accept", [.requester], .direct,
            Phrase("let WHO, or the only one who asks, write to you", "WHO나 하나뿐인 요청을 수락합니다"),
            opensConversation: true,
            .inProgram { turn, _, rooms throws(ChatError) in
                let peer = try turn.requester(rooms)
                let answer = try turn.perform(.accept(peer))
                // The next text is an answer to the request, and not one to the room.
                return turn.isTyped ? turn.open(.direct(peer), by: "accept") : answer
            }),
        CommandEntry(
            "decline", [.requester], .direct,
            Phrase("refuse WHO's request, or the only one, without notice", "WHO나 하나뿐인 요청을 알리지 않고 거절합니다"),
            .inProgram { turn, _, rooms throws(ChatError) in try turn.perform(.decline(turn.requester(rooms))) }),
    ]
}

extension CommandTurn {
    /// The peer whose request is answered: the named one, or the one that made the only request of all rooms.
    fileprivate mutating func requester(_ rooms: isolated Program) throws(ChatError) -> PeerID {
        guard operands["who"] == nil else { return try peer() }
        let requests = rooms.all.flatMap { room in room.node.chat.requests.map { (room: room, peer: $0.from) } }
        guard let request = requests.first else { throw ChatError(.notAccepted, .noRequestOpen, command.entry.name) }
        guard requests.count == 1 else {
            let names = requests.map { $0.room.node.chat.name(of: $0.peer).displayName }.joined(separator: ", ")
            throw ChatError(.ambiguousPeer, .severalRequests, command.entry.name, names)
        }
        room = request.room
        return request.peer
    }

    /// A first word that has no digit may be an id and may be a word ("defaced"): it is an id if there is such a message.
    fileprivate func edit(
        _ target: String?, _ text: String, isAction: Bool, _ rooms: isolated Program
    ) throws(ChatError) -> Answer? {
        if target == nil { try rooms.checkLastSaid(in: room, conversation) }
        do throws(ChatError) {
            return try perform(.edit(target, of: conversation, text, isAction: isAction))
        } catch {
            guard error.code == .unknownMessage, let target, !isAction, !target.contains(where: \.isNumber) else {
                throw error
            }
            try rooms.checkLastSaid(in: room, conversation)
            return try perform(.edit(nil, of: conversation, "\(target) \(text)"))
        }
    }
}

extension Answer {
    package static func requests(_ requests: [(who: PeerName, text: String)]) -> Answer {
        let rows = requests.map { request in
            AnswerRow(Sentence(.asks, request.who.displayName, DisplayGuard.safe(request.text))) {
                $0.member("from", request.who)
                $0.member("text", request.text)
            }
        }
        let list = AnswerRows("requests", rows, none: .noRequests, requesters: requests.map(\.who))
        return Answer("requests", list)
    }
}
