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
        switch command {
        case .say(let text):
            let slash = UInt8(ascii: "/")
            let front = line.utf8.dropLast(text.utf8.count)
            demand(line.utf8.suffix(text.utf8.count).elementsEqual(text.utf8), "another text is said")
            demand(front.isEmpty || front.last == slash && text.utf8.first == slash, "a part of a text is said")
            demand(!front.isEmpty || Visibility.withoutBlankStart(line).utf8.first != slash, "a command is said")
        case .sayToRoom: demand(false, "a line that only the control socket has a word for")
        case .message(let who, let text): demand(!who.isEmpty && !text.isEmpty, "nothing to nobody")
        case .accept(let who), .decline(let who), .leave(let who), .open(let who), .openDirect(let who),
            .mark(_, let who), .verify(let who, _), .whois(let who):
            demand(!who.isEmpty, "a command about nobody")
        case .openRoom(let name): demand(!name.isEmpty, "a room without a name is opened")
        case .join(let request):
            demand((try? RoomName.compose(request.name)) == request.name, "a room under another name")
            demand(request.key != "", "an empty key")
            if request.key != nil {
                demand(command.shown(as: line) == "/join \(request.name) …", "a key that is shown")
            }
        case .makeRoom(let name): demand((try? RoomName.compose(name)) == name, "a new room under another name")
        case .invite(let who, let room): demand(!who.isEmpty && room != "", "an invitation of nobody")
        case .contact(let who, let name): demand(!who.isEmpty && name != "", "a contact without a name")
        case .uncontact(let who): demand(!who.isEmpty, "nobody is forgotten")
        case .announce(let names): demand(names?.allSatisfy { $0.utf8.count <= line.utf8.count } ?? true, "odd names")
        case .part(let room): demand(room != "", "a room without a name")
        case .history(let who): demand(who != "", "the history of nobody")
        case .edit(let target, let text): demand(!text.isEmpty && isReference(target), "an edit of nothing")
        case .delete(let target): demand(isReference(target), "a deletion of nothing")
        case .act(let text), .reply(let text), .search(let text): demand(!text.isEmpty, "an empty text")
        case .rename(let text), .help(let text), .away(let text), .about(let text):
            demand(text != "", "an empty operand")
        case .who, .whoami, .requests, .openPublic, .rooms, .contacts, .blocked, .close, .unread, .typing, .bridge,
            .back, .wipe,
            .statistics, .quit:
            break
        }
    }

    private static func isReference(_ target: String?) -> Bool {
        guard let target else { return true }
        return (6...32).contains(target.utf8.count) && target.allSatisfy(\.isHexDigit)
    }
}
