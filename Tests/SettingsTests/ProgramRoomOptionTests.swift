import Testing

@testable import Settings

/// The room that options, variables and the file ask for, and its key.
@Suite struct ProgramRoomOptionTests {
    private static func choice(
        _ words: [String], file: String = "", _ variables: [String: String] = [:]
    ) throws -> RoomChoice {
        let variables = variables.merging(["HOME": "/people/ann"]) { first, _ in first }
        let surroundings = Surroundings(variable: { variables[$0] }, read: { _, _ in Array(file.utf8) })
        guard case .chat(let arguments) = try Invocation(parsing: words, in: surroundings) else {
            throw UsageError("no chat")
        }
        return arguments.roomChoice
    }

    @Test func `a key is of the room before it`() throws {
        let choice = try Self.choice(["--room", "kitchen", "--key-file", "k"])
        #expect(choice.name == "kitchen")
        #expect(choice.key == .file("k"))
        #expect(try Self.choice(["--room=kitchen", "--key-fd=3"]).key == .descriptor(3))
        #expect(try Self.choice(["--room", "kitchen", "--key-file", "k", "--room", "attic"]).key == nil)
        #expect(try Self.choice([]).key == nil)
    }

    @Test(arguments: [
        ["--key-file", "k"], ["--key-file", "k", "--room", "kitchen"], ["--key-fd", "3", "--room", "kitchen"],
    ])
    func `a key before its room is refused, and not lost`(words: [String]) throws {
        let message = "a key is of the --room before it; give --room NAME in front of --key-file or --key-fd"
        #expect(throws: UsageError(message)) { try Self.choice(words) }
        #expect(throws: UsageError(message)) { try Invocation(parsing: ["doctor"] + words) }
    }

    @Test func `another room takes the file's key back, and another key leaves the file's room`() throws {
        let file = "room = kitchen\nkey-file = k"
        #expect(try Self.choice([], file: file).key == .file("k"))
        let other = try Self.choice(["--room", "attic"], file: file)
        #expect(other.name == "attic" && other.key == nil)
        let variable = try Self.choice([], file: file, ["EARSHOT_ROOM": "attic"])
        #expect(variable.name == "attic" && variable.key == nil)
        let key = try Self.choice(["--key-file", "other"], file: file)
        #expect(key.name == "kitchen" && key.key == .file("other"))
        #expect(throws: UsageError.self) { try Self.choice([], file: "key-file = k\nroom = kitchen") }
    }

    @Test(arguments: ["방", String(repeating: "방", count: 64), "the big room"])
    func `a name of 1 to 64 characters is taken`(name: String) throws {
        #expect(try Self.choice(["--room", name]).name == name)
    }

    @Test(arguments: ["", "  ", String(repeating: "방", count: 65), "a\nb"])
    func `any other name is refused`(name: String) {
        #expect(throws: UsageError.self) { try Self.choice(["--room", name]) }
        #expect(throws: UsageError.self) { try Invocation(parsing: ["room", "new", name]) }
    }

    @Test(arguments: [
        (["room"], "earshot room does not say what to do; write earshot room new NAME"),
        (["room", "make"], "earshot room can not \"make\"; write earshot room new NAME"),
        (["room", "new"], "earshot room new needs a name; write earshot room new NAME"),
        (["room", "new", "a", "b"], "unexpected \"b\"; see earshot room --help"),
        (["room", "new", String(repeating: "x", count: 65)], "room name is 65 characters; 64 is the most"),
        (["--key", "secret words"], "no option \"--key\"; did you mean --web?"),
    ])
    func `wrong usage says what is wrong, and no key is an argument`(words: [String], message: String) {
        #expect(throws: UsageError(message)) { try Invocation(parsing: words) }
    }
}
