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
    }
}

private enum CommandRules {
    static func seeds() -> [[UInt8]] {
        let names = CommandEntry.all.map { "/\($0.name) \"a b\" abcdef ok\n/\($0.name)\n" }
        let lines = [
            "hello\n//slash\r\n/mgs 4821 hi\n\n", "\u{feff}/join a b\n \u{200b}//x\n",
            "/msg \"quiet otter\" hi", "/verify otter#4821 no\n/open public\n",
        ]
        return (names + lines).map { [9, 1, 30, 4, 5, 60, 7, 8] + Array($0.utf8) }
    }

    static func lines(_ pieces: [[UInt8]]) -> [LineSplitter.Line] {
        var splitter = LineSplitter()
        var lines: [LineSplitter.Line] = []
        for piece in pieces {
            splitter.feed(piece[...])
            while let line = splitter.next() { lines.append(line) }
        }
        if let line = splitter.finish() { lines.append(line) }
        return lines
    }

    static func check(_ line: LineSplitter.Line) {
        switch line {
        case .invalidUTF8, .tooLong: break
        case .text(let text):
            demand(!text.utf8.contains(0x0a), "a line with a line end in it")
            do throws(ChatError) {
                check(try Command(line: text), text)
            } catch {
                let seen = Visibility.withoutBlankStart(text)
                demand(seen.utf8.first == UInt8(ascii: "/"), "a text that is no command is refused")
                demand(DisplayGuard.safe(error.message) == error.message, "an error that can not be shown")
            }
        }
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

    private static func checkText(_ text: String, _ line: String) {
        let slash = UInt8(ascii: "/")
        let front = line.utf8.dropLast(text.utf8.count)
        demand(line.utf8.suffix(text.utf8.count).elementsEqual(text.utf8), "another text is said")
        demand(front.isEmpty || front.last == slash && text.utf8.first == slash, "a part of a text is said")
        demand(!front.isEmpty || Visibility.withoutBlankStart(line).utf8.first != slash, "a command is said")
    }
}
