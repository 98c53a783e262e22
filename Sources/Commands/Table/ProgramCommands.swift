import Chat
import ChatNode
import Phrases
import Wire

/// Commands about the program and the terminal.
extension CommandEntry {
    static let program: [CommandEntry] = [
        set,
        CommandEntry(
            "wipe", [.yes, .now], .program,
            Phrase(
                "erase all data now, files too, and continue under a new identity after 5 to 30 s; now: at once",
                "파일까지 모든 것을 지우고 5~30초 뒤 새 신원으로 계속합니다. now: 바로"),
            replacesView: true, endsPause: true,
            .overTurns { operands, _, _, rooms in
                let answer = await rooms.wipe(isNow: operands.flag("now") ?? false)
                // Faces get it between the last event of the last node and the first one of the next.
                return CommandResult(room: rooms.anyLabel, reply: answer.map(Report.answer), isReported: true)
            }),
        CommandEntry(
            "help", [.optionalText("command")], .program, Phrase("this list, or one command", "이 목록, 또는 명령 하나"),
            .inRoom { turn throws(ChatError) in
                guard let name = turn.operands["command"] else { return .help(CommandEntry.all) }
                return .help([try CommandEntry.named(name)])
            }),
        CommandEntry("clear", [], .program, Phrase("clear the screen", "화면을 지웁니다"), .inTerminal),
        CommandEntry(
            "quit", [], .program, Phrase("leave", "나갑니다"), aliases: ["exit"], endsPause: true,
            .overTurns { _, _, desk, rooms in
                desk.departure.record(.asked)
                rooms.beginLeaving()
                return CommandResult(room: rooms.anyLabel)
            }),
        CommandEntry(
            "bridge", [.flag("on", ["on": true, "off": false])], .program,
            Phrase(
                "on or off: whether bridges may carry what you say here to other networks; alone, show it",
                "다른 네트워크로 전달을 허용할지 on/off로 정합니다. 값이 없으면 보여 줍니다"),
            .inRoom { turn in
                let node = turn.node
                if let consents = turn.operands.flag("on") { node.change(.consent(consents)) }
                return .bridge(node.chat.session.bridging.consents, node.isBridged, node.bridgeState)
            }),
        stats,
        CommandEntry(
            "web", [], .program, Phrase("a new link to the page", "페이지의 새 링크"),
            .inProgram { _, desk, _ in .page(desk.pageLink()) }),
    ]

    private static let set = CommandEntry(
        "set", [.setting], .program,
        Phrase(
            "cover on|off: hide when you write in private; in a terminal joins on|off: show who comes and leaves; "
                + "stream one|all: one conversation or all",
            "cover on|off: 개인 대화를 쓰는 때를 숨김. 터미널에서 joins on|off: 드나듦 표시, stream one|all: 한 대화 또는 모두 보기"),
        .inProgram { turn, _, rooms throws(ChatError) in
            switch (turn.operands["setting"] ?? "").lowercased()[...].words() {
            case [], ["cover"]: break
            case ["cover", "on"]: rooms.turnCover(on: true)
            case ["cover", "off"]: rooms.turnCover(on: false)
            case ["joins"], ["joins", "on"], ["joins", "off"], ["stream"], ["stream", "one"], ["stream", "all"]:
                throw ChatError(.unknownCommand, .onlyInTerminal, "set")
            default: throw ChatError(.unknownCommand, .setUnknown)
            }
            return .set(cover: turn.node.sendsCover)
        })

    static let stats = CommandEntry(
        "stats", [], .program, Phrase("counters", "집계"),
        .inProgram { _, desk, rooms in
            // Those of all nodes, summed up, and those of the process.
            .statistics(Counter.sums(rooms.all.map { $0.node.statistics() }) + desk.counters())
        })
}

extension Program {
    /// The open room; a label of no room where there is none.
    var anyLabel: RoomLabel { openLabel ?? RoomLabel(number: 0, name: "") }
}

extension Answer {
    /// - Parameters:
    ///   - consents: whether bridges may carry the user's messages.
    ///   - isBridged: whether a bridge is here.
    ///   - state: of this node's bridge; nil if it has none.
    fileprivate static func bridge(_ consents: Bool, _ isBridged: Bool, _ state: Sentence?) -> Answer {
        let safe = state.map { Sentence(phrase: $0.phrase, arguments: $0.arguments.map(DisplayGuard.safe)) }
        let sentences = [
            Sentence(isBridged ? .bridgeHere : .bridgeNone), Sentence(consents ? .bridgeOn : .bridgeOff), safe,
        ].compactMap(\.self)
        return Answer(
            "bridge",
            Sentences(sentences) {
                $0.member("allowed", consents)
                $0.member("bridged", isBridged)
                $0.member("state", state?.text(in: .english))
            })
    }

    /// - Parameter link: lets one page in; nil where no page is served.
    fileprivate static func page(_ link: String?) -> Answer {
        let sentence = link.map { Sentence(.pageLink, $0) } ?? Sentence(.pageIsOff)
        return Answer("web", Sentences(sentence) { $0.member("url", link) })
    }

    /// - Parameter cover: whether private payloads go in records at random times.
    fileprivate static func set(cover: Bool) -> Answer {
        Answer("set", Sentences([Sentence(.setShown, "cover", cover ? "on" : "off")]) { $0.member("cover", cover) })
    }
}
