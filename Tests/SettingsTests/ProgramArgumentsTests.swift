import Discovery
import Testing

@testable import Reactor
@testable import Commands
@testable import Settings

@Suite struct ProgramArgumentsTests {
    @Test func `no words at all chat in the lobby`() throws {
        let arguments = try Arguments(parsing: [])
        #expect(arguments == Arguments())
        #expect(arguments.room == "lobby")
        #expect(arguments.discovery == .auto)
        #expect(arguments.sharesHistory)
        #expect(!arguments.readReceipts)
        #expect(arguments.rate == nil)
    }

    @Test func `every option is taken, with its value apart or attached`() throws {
        let apart = try Arguments(parsing: [
            "chat", "--nick", "otter", "--room", "kitchen", "--peer", "192.0.2.7:4000", "--port", "4001",
            "--interface", "eth0", "--discovery", "none", "--no-history", "--json", "--rate", "0.5", "--quiet",
            "--log-level", "debug", "--read-receipts", "--identity", "me", "--passphrase-fd", "3",
        ])
        let attached = try Arguments(parsing: [
            "--nick=otter", "--room=kitchen", "--peer=192.0.2.7:4000", "--port=4001", "--interface=eth0",
            "--discovery=none", "--no-history", "--json", "--rate=0.5", "--quiet", "--log-level=debug", "--identity=me",
            "--read-receipts",
            "--passphrase-fd=3", "chat",
        ])
        #expect(apart == attached)
        #expect(apart.nickname == "otter")
        #expect(apart.identity == "me")
        #expect(apart.phraseDescriptor == 3)
        #expect(apart.room == "kitchen")
        #expect(apart.peers.map(\.host) == ["192.0.2.7"])
        #expect(apart.peers.map(\.port) == [4000])
        #expect(apart.port == 4001)
        #expect(apart.interfaces == ["eth0"])
        #expect(apart.discovery == .none)
        #expect(!apart.sharesHistory)
        #expect(apart.readReceipts)
        #expect(apart.format == .json)
        #expect(apart.rate == 0.5)
        #expect(apart.isQuiet)
        #expect(apart.logLevel == .debug)
    }

    @Test func `options that may be given again add up, the others are replaced`() throws {
        let arguments = try Arguments(parsing: [
            "--peer", "a:1", "--peer", "[2001:db8::7]:2", "--interface", "a", "--interface", "b", "--port", "1",
            "--port", "2",
        ])
        #expect(arguments.peers.map(\.host) == ["a", "2001:db8::7"])
        #expect(arguments.interfaces == ["a", "b"])
        #expect(arguments.port == 2)
    }

    @Test func `help and version are actions, and an equals sign may be part of a value`() throws {
        for words in [["--help"], ["-h"], ["chat", "--help"], ["--port", "0", "-h"], ["--nonsense", "--help"]] {
            guard case .help(.chat) = try Invocation(parsing: words) else { throw UsageError("\(words)") }
        }
        guard case .version = try Invocation(parsing: ["--version"]) else { throw UsageError("no version") }
        #expect(try Arguments(parsing: ["--room=a=b"]).room == "a=b")
    }

    @Test(arguments: [
        (["--nik", "x"], "no option \"--nik\"; did you mean --nick?"),
        (["--identity", ""], "--identity can not be \"\"; give a file"),
        (
            ["--identity", "f", "--passphrase-fd", "-1"],
            "--passphrase-fd can not be \"-1\"; give the number of an open descriptor"
        ),
        (["-x"], "no option \"-x\"; see earshot --help"),
        (["--nick"], "--nick needs a value; write --nick NAME"),
        (["--nick", "--plain"], "--nick needs a value; write --nick NAME"),
        (["--nick", "--room=den"], "--nick needs a value; write --nick NAME"),
        (["--json=yes"], "--json takes no value; write --json alone"),
        (["--port", "65536"], "--port can not be \"65536\"; give a port from 0 to 65535"),
        (["doctr"], "no command \"doctr\"; did you mean doctor?"),
        (["chta"], "no command \"chta\"; did you mean chat?"),
        (["chat", "now"], "unexpected \"now\"; see earshot --help"),
        (["--", "--json"], "no command \"--json\"; see earshot --help"),
        (["--json", "simulate"], "simulate has to be the first word; see earshot simulate --help"),
        (["idntity", "new"], "no command \"idntity\"; did you mean identity?"),
    ])
    func `wrong usage says what is wrong and what to do`(words: [String], message: String) {
        #expect(throws: UsageError(message)) { try Arguments(parsing: words) }
    }

    @Test func `a descriptor for a pass phrase wants an identity, from wherever that comes`() throws {
        let message = "--passphrase-fd is of no use without --identity; give both, or none"
        #expect(throws: UsageError(message)) { try Invocation(parsing: ["--passphrase-fd", "3"]) }
        let surroundings = Surroundings(
            variable: { $0 == "EARSHOT_IDENTITY" ? "me" : nil }, read: { _, _ in nil })
        let words = ["--passphrase-fd", "3"]
        guard case .chat(let arguments) = try Invocation(parsing: words, in: surroundings) else {
            throw UsageError("no chat")
        }
        #expect(arguments.identity == "me")
    }

    @Test func `no user chats as root without consent by an option, a variable or the file`()
        throws
    {
        var surroundings = Surroundings.none
        surroundings.isRootLogin = true
        let message = "not as root, whose rights a chat has no need of; run it as yourself, or add --allow-root"
        #expect(throws: UsageError(message)) { try Invocation(parsing: ["--json"], in: surroundings) }
        let others = [["--help"], ["--version"], ["doctor"], ["identity", "show", "me"], ["simulate"]]
        for words in others + [["--allow-root"]] {
            _ = try Invocation(parsing: words, in: surroundings)
        }
        surroundings.variable = { $0 == "EARSHOT_ALLOW_ROOT" ? "true" : nil }
        _ = try Invocation(parsing: [], in: surroundings)
    }

    @Test func `root of a container has no login behind it`() {
        var login = RootLogin(
            effectiveUser: 0, userMap: "         0          0 4294967295\n", loginUser: "4294967295",
            hasBecomeRoot: false)
        #expect(!login.isPresent)
        login.hasBecomeRoot = true
        #expect(login.isPresent)
        login.userMap = "         0       1000          1\n"
        #expect(!login.isPresent)
        login = RootLogin(effectiveUser: 0, userMap: nil, loginUser: "0", hasBecomeRoot: false)
        #expect(login.isPresent)
        login.loginUser = "1000\n"
        #expect(login.isPresent)
        login.effectiveUser = 1_000
        #expect(!login.isPresent)
        login = RootLogin(effectiveUser: 0, userMap: nil, loginUser: nil, hasBecomeRoot: false)
        #expect(!login.isPresent)
    }

    @Test func `identity says what to do with which file`() throws {
        let words = ["identity", "new", "--passphrase", "--json", "--passphrase-fd", "3", "me"]
        guard case .identity(let arguments) = try Invocation(parsing: words) else { throw UsageError("\(words)") }
        #expect(arguments.action == .new)
        #expect(arguments.file == "me")
        #expect(arguments.asksForPhrase)
        #expect(arguments.phraseDescriptor == 3)
        #expect(arguments.isJSON)
        guard case .help(.identity) = try Invocation(parsing: ["identity", "-h"]) else { throw UsageError("no help") }
    }

    @Test(arguments: [
        ([], "earshot identity does not say what to do; write earshot identity new|show FILE"),
        (["make", "f"], "earshot identity can not \"make\"; write earshot identity new|show FILE"),
        (["show"], "earshot identity show needs a file; write earshot identity show FILE"),
        (["new", ""], "earshot identity new needs a file; write earshot identity new FILE"),
        (["new", "a", "b"], "unexpected \"b\"; see earshot identity --help"),
    ])
    func `identity says what is missing or too much`(words: [String], message: String) {
        #expect(throws: UsageError(message)) { try IdentityArguments(parsing: words) }
    }

    @Test(arguments: [
        ["--port", "-1"], ["--port", "+1"], ["--port", ""], ["--port", "1e3"], ["--port", "١"], ["--peer", "host"],
        ["--peer", ":1"], ["--peer", "host:0"], ["--peer", "host:65536"], ["--peer", "fe80::1:4000"],
        ["--peer", "[]:1"],
        ["--peer", "a b:1"], ["--peer", "[a:1"], ["--rate", "nan"], ["--rate", "inf"], ["--rate", "-1"],
        ["--rate", "0x10"], ["--rate", "1e9"], ["--rate", "1.2.3"], ["--rate", "1000001"], ["--rate", ""],
        ["--rate", "."], ["--rate", "0.0009"], ["--rate", "0.0000000001"],
        ["--discovery", "Auto"], ["--discovery", ""], ["--room", ""], ["--nick", ""], ["--log-level", "loud"],
        ["--interface", ""], ["--interface", "abcdefghijklmnop"], ["--interface", "../x"],
    ])
    func `a value that is none is refused`(words: [String]) {
        #expect(throws: UsageError.self) { try Arguments(parsing: words) }
        #expect(throws: UsageError.self) { try Arguments(parsing: [words[0] + "=" + words[1]]) }
    }

    @Test func `the doctor has options of its own`() throws {
        let words = ["--room", "kitchen", "--port", "4000", "--interface", "eth0", "--interface=eth1", "--json"]
        let settings = try DoctorSettings(parsing: words)
        #expect(settings.room == "kitchen")
        #expect(settings.port == 4_000)
        #expect(settings.interfaces == ["eth0", "eth1"])
        #expect(settings.isJSON)
        guard case .doctor(settings) = try Invocation(parsing: ["doctor"] + words) else { throw UsageError("\(words)") }
        guard case .help(.doctor) = try Invocation(parsing: ["doctor", "-h"]) else { throw UsageError("no help") }
        #expect(throws: UsageError("unexpected \"now\"; see earshot doctor --help")) {
            try DoctorSettings(parsing: ["now"])
        }
        for wrong in [["--nick", "x"], ["--room", ""], ["--port", "65536"], ["--interface", "../x"]] {
            #expect(throws: UsageError.self) { try DoctorSettings(parsing: wrong) }
        }
    }

    @Test func `help tells of a command, or writes a document`() throws {
        guard case .help(.chat) = try Invocation(parsing: ["help"]) else { throw UsageError("help") }
        guard case .help(.doctor) = try Invocation(parsing: ["help", "doctor"]) else { throw UsageError("doctor") }
        guard case .document(.manual) = try Invocation(parsing: ["help", "--man"]) else { throw UsageError("man") }
        let words = ["help", "--completion", "fish"]
        guard case .document(.completion(.fish)) = try Invocation(parsing: words) else { throw UsageError("fish") }
        for wrong in [["help", "me"], ["help", "chat", "doctor"], ["help", "--completion", "csh"]] {
            #expect(throws: UsageError.self) { try Invocation(parsing: wrong) }
        }
    }

    @Test func `an error shows nothing that could steer a terminal, and is one line`() {
        let error = #expect(throws: UsageError.self) {
            try Arguments(parsing: ["--port", "\u{1b}[2J\n\u{202e}" + String(repeating: "x", count: 1_000)])
        }
        let message = error?.message ?? ""
        #expect(message.unicodeScalars.allSatisfy { $0.value >= 32 && $0 != "\u{202e}" && $0 != "\u{7f}" })
        #expect(message.count < 200)
    }

    @Test func `help lists every option in lines of at most 100`() throws {
        let help = HelpText.text(for: .chat)
        for option in Arguments.options { #expect(help.contains(option.name)) }
        for command in Invocation.CommandName.allCases {
            for line in HelpText.text(for: command).split(separator: "\n") { #expect(line.count <= 100) }
        }
        #expect(HelpText.version == "earshot \(Version.current)\n")
    }

    @Test func `near misses are suggested, far ones are not`() {
        let names = ["who", "msg", "history", "quit"]
        #expect(Suggestion.nearest(to: "hwo", among: names) == "who")
        #expect(Suggestion.nearest(to: "histroy", among: names) == "history")
        #expect(Suggestion.nearest(to: "QUIT", among: names) == "quit")
        #expect(Suggestion.nearest(to: "banana", among: names) == nil)
        #expect(Suggestion.nearest(to: "", among: names) == nil)
        #expect(Suggestion.nearest(to: String(repeating: "q", count: 100_000), among: names) == nil)
        #expect(Suggestion.distance(Array("kitten"), Array("sitting")) == 3)
        #expect(Suggestion.distance(Array("ab"), Array("ba")) == 1)
        #expect(Suggestion.distance([], Array("abc")) == 3)
    }
}
