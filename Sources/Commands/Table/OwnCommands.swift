import Chat
import ChatNode
import Phrases
import Wire

/// Commands about the user.
extension CommandEntry {
    static let own: [CommandEntry] = [
        nick,
        CommandEntry(
            "about", [.optionalText("text")], .own,
            Phrase("show TEXT about yourself in /whois, or nothing", "/whois에 보일 소개를 정하거나 지웁니다"),
            done: .aboutChanged,
            .inRoom { turn throws(ChatError) in
                let (node, line) = (turn.node, turn.operands["text"])
                let rooms = node.chat.session.profile.rooms
                node.change(.profile(Profile(about: try line.map(AboutLine.compose), rooms: rooms)))
                turn.change = .about(node.chat.session.profile.about)
                return turn.done(node.chat.ownName)
            }),
        whoami,
        CommandEntry(
            "away", [.optionalText("text")], .own,
            Phrase("tell the others that you are away, and why", "자리를 비운다고 알립니다. 사유를 쓸 수 있습니다"),
            done: .nowAway,
            .inRoom { turn throws(ChatError) in
                turn.node.change(.away(true, reason: try turn.operands["text"].map(AwayReason.compose)))
                return turn.done(turn.node.chat.ownName)
            }),
        CommandEntry(
            "back", [], .own, Phrase("tell the others that you are here again", "돌아왔다고 알립니다"), done: .nowBack,
            .inRoom { turn in
                turn.node.change(.away(false))
                return turn.done(turn.node.chat.ownName)
            }),
        typing,
    ]

    static let nick = CommandEntry(
        "nick", [.optionalText("name")], .own,
        Phrase("change your nickname; alone, show it", "별명을 바꿉니다. 이름이 없으면 보여 줍니다"),
        done: .nowCalled,
        .inRoom { turn throws(ChatError) in
            guard let nickname = turn.operands["name"] else { return turn.whoami }
            try turn.node.perform(.rename(nickname))
            turn.change = .nickname(turn.node.chat.ownName.nickname)
            return turn.done(turn.node.chat.ownName)
        })

    static let typing = CommandEntry(
        "typing", [.flag("on", ["off": false], .takesOff)], nil,
        Phrase("tell the others that you type; for front ends", "쓰는 중임을 알립니다 (프런트엔드용)"),
        .inRoom { turn in
            turn.node.change(.typing(turn.operands.flag("on") ?? true, in: turn.conversation))
            return nil
        })

    static let whoami = CommandEntry(
        "whoami", [], .own, Phrase("your name and room", "내 이름과 방"), .inRoom { $0.whoami })
}

extension CommandTurn {
    fileprivate var whoami: Answer {
        .whoami(
            node.chat.ownName, room: node.configuration.room.name, profile: node.chat.session.profile,
            status: node.chat.session.status)
    }
}
