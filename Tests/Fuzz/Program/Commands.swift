import Chat

@testable import Commands

extension FuzzTarget {
    /// All pieces of an input yield one sequence of lines, and each line is a command, a text, or an error with a message.
    static let commands = FuzzTarget(name: "commands", seeds: CommandRules.seeds) { input in
        var choices = Choices(input)
        let cuts = choices.bytes(8)
        let stream = choices.rest()
        var cutting = Choices(cuts)
        let lines = CommandRules.lines([stream])
        demand(CommandRules.lines(cutting.pieces(of: stream)) == lines, "lines are cut otherwise from pieces")
        for line in lines { CommandRules.check(line) }
        CommandRules.checkGiven(stream)
    }
}

private enum CommandRules {
    static func seeds() -> [[UInt8]] {
        let names = CommandEntry.all.map { "/\($0.name) \"a b\" abcdef ok\n/\($0.name)\n" }
        let lines = [
            "hello\n//slash\r\n/mgs 4821 hi\n\n", "\u{feff}/join a b\n \u{200b}//x\n",
            "/board lost | a hat\n/board remove abcdef\n/board remove\n/board remove zz\n/board --color red lost | a hat\n/board --color\n",
            "/key tea secret words\n/me waves\n/edit me better\n/nope a b c\n  //said\n/help msg\n/wipe now\n/wipe\n/quit now\n/rooms off\n/rooms a b\n/reply abc hi\n/reply abcdefg hi\n/react zz x\n/edit abcdef better\n",
            String(repeating: "x", count: 3_000),
            "\u{c3}\n/join tea key words\n/join \"a b\" open\n/msg \"\n/msg \"a\"b c\n",
            "/msg \"quiet otter\" hi", "/verify otter#4821 no\n/open public\n",
        ]
        let given = CommandEntry.all.map { entry in
            let rows = entry.operands.flatMap { operand in operand.names.map { "\($0)=\(value(of: operand))" } }
            return ([entry.name] + rows.prefix(1)).joined(separator: "\n") + "\n"
                + ([entry.name] + rows).joined(separator: "\n")
        }
        let whole = CommandEntry.all.map { entry in
            let rows = entry.operands.compactMap { operand in operand.names.first.map { "\($0)=\(value(of: operand))" }
            }
            return ([entry.name] + rows).joined(separator: "\n")
        }
        let wrong = [
            "join\nroom=a\nkey=b\nopen=true", "say\ntext=a\nx=1", "say\ntext=true", "msg\nwho=a",
            "card\nremove=1\ntext=b", "nope\n",
        ]
        return (names + lines + given + whole + wrong).map { [9, 1, 30, 4, 5, 60, 7, 8] + Array($0.utf8) }
    }

    /// A value as a program gives it for an operand.
    private static func value(of operand: Operand) -> String {
        switch operand.kind {
        case .flag, .ending, .confirmation: "true"
        case .rooms: ",kitchen,tea"
        case .message, .reference: String(repeating: "0a", count: 16)
        case .who, .name, .room, .place, .text, .color, .title, .removal, .key, .word: "red"
        }
    }

    static func lines(_ pieces: [[UInt8]]) -> [LineSplitter.Line] {
        // Shorter than that of the program, so that inputs have longer lines.
        var splitter = LineSplitter(limit: 2_048)
        var lines: [LineSplitter.Line] = []
        for piece in pieces {
            splitter.feed(piece[...])
            while let line = splitter.next() { lines.append(line) }
        }
        if let line = splitter.finish() { lines.append(line) }
        return lines
    }

    static func check(_ line: LineSplitter.Line) {
        do throws(ChatError) { _ = try line.text() } catch { demand(!error.message.isEmpty, "an error without words") }
        switch line {
        case .invalidUTF8, .tooLong: break
        case .text(let text):
            demand(!text.utf8.contains(0x0a), "a line with a line end in it")
            checkSpoken(text)
            do throws(ChatError) {
                check(try Command(line: text), text)
            } catch {
                let seen = Visibility.withoutBlankStart(text)
                demand(seen.utf8.first == UInt8(ascii: "/"), "a text that is no command is refused")
                demand(DisplayGuard.safe(error.message) == error.message, "an error that can not be shown")
            }
        }
    }

    /// A text that is said is no command, and a line is shown without a key.
    private static func checkSpoken(_ text: String) {
        do throws(ChatError) {
            let said = try SlashRule.said(text)
            demand(text.utf8.reversed().starts(with: said.utf8.reversed()), "another text is said")
        } catch {
            demand(error.code == .isCommand, "a text is refused for another reason than its slash")
        }
        if let action = SlashRule.action(text) {
            demand(action.utf8.count < text.utf8.count, "an action of more than the text")
        }
        let shown = Command.shown(text)
        demand(shown == text || shown.hasSuffix(" …"), "another line is shown")
    }

    private static func check(_ command: Command, _ line: String) {
        let (entry, operands) = (command.entry, command.operands)
        demand(entry.isTyped, "a line that only programs have a word for")
        if entry == .say { return checkText(operands["text"] ?? "", line) }
        let values = operands.values
        demand(Set(values.keys).isSubset(of: entry.operands.flatMap { $0.names + [$0.name] }), "an odd operand")
        for operand in entry.operands {
            demand(!operand.isNeeded || values[operand.name] != nil, "a command without what it needs")
            guard let text = operands[operand.name] else { continue }
            demand(!text.isEmpty, "an empty operand")
            switch operand.kind {
            case .room: demand((try? RoomName.compose(text)) == text, "a room under another name")
            case .key: demand(command.shown(as: line).hasSuffix(" …"), "a key that is shown")
            case .message:
                demand((6...32).contains(text.utf8.count) && text.allSatisfy(\.isHexDigit), "no id of a message")
            case .reference: demand(false, "an id that only programs give")
            case .title: demand(!text.contains("|"), "a title with the sign behind it")
            case .color, .removal, .who, .name, .place, .text, .rooms, .flag, .confirmation, .word, .ending: break
            }
        }
        let names = operands.list("rooms") ?? []
        demand(names.allSatisfy { $0.utf8.count <= line.utf8.count }, "odd names")
    }

    /// A program gives operands by their names, in lines of a name, a sign and a value: they are performed or refused.
    static func checkGiven(_ stream: [UInt8]) {
        let lines = String(decoding: stream.prefix(4_096), as: UTF8.self).split(whereSeparator: \.isNewline).map(
            String.init)
        guard let name = lines.first else { return }
        var values: [String: Operands.Value] = [:]
        for line in lines.dropFirst() {
            let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 2 else { continue }
            switch parts[1] {
            case "true", "false": values[parts[0]] = .flag(parts[1] == "true")
            case let list where list.hasPrefix(","):
                values[parts[0]] = .list(list.split(separator: ",").map(String.init))
            case let text: values[parts[0]] = .text(text)
            }
        }
        do throws(ChatError) {
            let command = try Command(named: name, values)
            demand(
                command.operands.values.keys.allSatisfy { values[$0] != nil || $0 == "room" },
                "an operand that was not given")
            _ = (command.operands.text, command.operands.who, command.saidText(by: "otter"), command.requester)
        } catch {
            demand(DisplayGuard.safe(error.message) == error.message, "an error that can not be shown")
        }
    }

    private static func checkText(_ text: String, _ line: String) {
        let slash = UInt8(ascii: "/")
        let front = line.utf8.dropLast(text.utf8.count)
        demand(line.utf8.suffix(text.utf8.count).elementsEqual(text.utf8), "another text is said")
        demand(front.isEmpty || front.last == slash && text.utf8.first == slash, "a part of a text is said")
        demand(!front.isEmpty || Visibility.withoutBlankStart(line).utf8.first != slash, "a command is said")
    }
}
