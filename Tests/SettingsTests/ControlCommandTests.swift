import Testing

@testable import Settings

/// The requests of `earshot send`, `tail`, `who` and `stats`.
@Suite struct ControlCommandTests {
    private static func question(
        _ words: [String], in surroundings: Surroundings = .none
    ) throws -> ClientRequest {
        guard case .ask(let question) = try Invocation(parsing: words, in: surroundings) else {
            throw UsageError("\(words)")
        }
        return question
    }

    private static func requests(_ words: String...) throws -> [ControlRequest] {
        guard case .these(let requests) = try question(words).requests else { throw UsageError("\(words)") }
        return requests
    }

    @Test func `sent text is one message for each line`() throws {
        #expect(try Self.requests("send", "a", "b") == [ControlRequest(.say("a b"))])
        #expect(try Self.requests("send", "/who") == [ControlRequest(.say("/who"))])
        #expect(try Self.requests("send", "a\n\nb\r\nc") == ["a", "b", "c"].map { ControlRequest(.say($0)) })
        #expect(try Self.requests("send", " ") == [ControlRequest(.say(""))])
        #expect(try Self.requests("send", "--", "--json", "-") == [ControlRequest(.say("--json -"))])
        let direct = ["a", "b"].map { ControlRequest(.say($0, to: "4821")) }
        #expect(try Self.requests("send", "--to", "4821", "a\nb") == direct)
        #expect(
            try Self.requests("send", "--to", "bob \"b\"", "--in", "my room", "/x") == [
                ControlRequest(.say("/x", to: "bob \"b\""), in: "my room")
            ])
        #expect(try Self.question(["send", "-"]).requests == .input(to: nil, in: nil))
        #expect(try Self.question(["send", "--to=x", "--in=y", "-"]).requests == .input(to: "x", in: "y"))
    }

    @Test func `no nickname reads as a command or as a line`() {
        for name in ["", "a\nb", "a\u{0}b"] {
            #expect(throws: UsageError.self) { try Invocation(parsing: ["send", "--to", name, "x"]) }
            #expect(throws: UsageError.self) { try Invocation(parsing: ["send", "--in", name, "x"]) }
        }
        #expect(throws: UsageError("earshot send does not say what; write earshot send TEXT")) {
            try Invocation(parsing: ["send", "--json"])
        }
    }

    @Test func `each is asked in the format that it is shown in`() throws {
        #expect(try Self.requests("tail") == [ControlRequest(.tail(withHistory: false), as: .plain)])
        #expect(try Self.requests("tail", "--json", "--history") == [ControlRequest(.tail(withHistory: true))])
        #expect(try Self.requests("who") == [ControlRequest(.command("/who"), as: .plain)])
        let there = ControlRequest(.command("/who"), as: .plain, in: "kitchen")
        #expect(try Self.requests("who", "--in", "kitchen") == [there])
        #expect(try Self.requests("who", "--json") == [ControlRequest(.command("/who"))])
        #expect(try Self.requests("stats") == [ControlRequest(.command("/stats"), as: .plain)])
        #expect(try Self.requests("stats", "--json") == [ControlRequest(.command("/stats"))])
        #expect(try Self.requests("stats", "--prometheus") == [ControlRequest(.prometheus)])
        #expect(try Self.question(["who", "--json"]).showsJSON)
        #expect(try !Self.question(["stats", "--prometheus"]).showsJSON)
        for command in ["tail", "who", "stats"] {
            #expect(throws: UsageError("unexpected \"x\"; see earshot \(command) --help")) {
                try Invocation(parsing: [command, "x"])
            }
        }
    }

    @Test func `where the node is comes from the same places as for the node itself`() throws {
        let variables = Surroundings(
            variable: { ["EARSHOT_CONTROL": "there", "EARSHOT_TO": "x", "EARSHOT_HISTORY": "true"][$0] },
            read: { _, _ in nil })
        #expect(try Self.question(["who"], in: variables).control == .path("there"))
        #expect(try Self.question(["who", "--control", "here"], in: variables).control == .path("here"))
        // Only what the node has too is set anywhere else.
        #expect(try Self.question(["send", "a"], in: variables).requests == .these([ControlRequest(.say("a"))]))
        #expect(try Arguments(parsing: [], in: variables).control == .path("there"))
        #expect(try Arguments(parsing: ["--no-control"], in: variables).control == .none)
        #expect(try Arguments(parsing: []).control == .own)
    }
}
