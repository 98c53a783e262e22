import Glibc
import Noise
import Storage
import TestSupport
import Testing

/// The real program with an identity that is kept.
@Suite(.timeLimit(.minutes(5))) struct ProgramIdentityTests {
    private let scratch: StorageScratch
    private let file: String

    init() throws {
        scratch = try StorageScratch()
        file = scratch("me")
    }

    private func start(_ options: [String] = []) throws -> ProgramProcess {
        try ProgramProcess(ProgramRunTests.alone + ["--identity", file] + options)
    }

    /// Runs it to the end, and tells its key.
    private func key(_ options: [String] = [], typing text: String = "") async throws -> String? {
        let program = try start(options)
        await program.write(text)
        let key = try await program.event("ready")["self"]?["key"]?.text
        await program.write("/quit\n")
        #expect(await program.ended() == .exited(0))
        return key
    }

    /// The output of `earshot identity`, and its exit code.
    private func identity(_ words: String..., typing text: String = "") async throws -> (TestedJSON?, String, CInt) {
        let program = try ProgramProcess(["identity"] + words)
        await program.write(text)
        let lines = await program.remainingLines()
        guard case .exited(let code) = await program.ended() else { return (nil, "", -1) }
        return (try lines.first { $0.hasPrefix("{") }.map { try TestedJSON($0) }, await program.complaints(), code)
    }

    private func epoch() throws -> UInt64 {
        try StoredIdentity.open(file, locking: false).unlock(with: nil).files.state.epoch
    }

    @Test func `two runs with a file have one key; two runs without have two`() async throws {
        let program = try start()
        let key = try await program.event("ready")["self"]?["key"]?.text
        await program.write("/quit\n")
        #expect(
            await program.complaints()
                == "earshot: made a new identity in \(file); keep the file to be the same again\n")
        #expect(try await self.key() == key)
        let other = try ProgramProcess(ProgramRunTests.alone)
        #expect(try await other.event("ready")["self"]?["key"]?.text != key)
    }

    @Test func `identity new makes what identity show and a chat then are, and never the seed`() async throws {
        let (made, _, code) = try await identity("new", "--json", file)
        #expect(code == 0)
        #expect(
            made?.names == [
                "event", "command", "number", "key", "file", "passphrase", "verified", "blocked", "contacts",
            ])
        let (shown, _, _) = try await identity("show", file, "--json")
        #expect(shown?["key"] == made?["key"])
        #expect(shown?["number"] == made?["number"])
        #expect(try await key() == made?["key"]?.text)
        let text = String(decoding: try #require(scratch.bytes(of: "me")), as: UTF8.self)
        let seed = try #require(text.firstMatch(of: /seed: ([0-9a-f]{64})/)?.1)
        let plain = try ProgramProcess(["identity", "show", file])
        #expect(await !plain.remainingLines().joined().contains(seed))
    }

    @Test func `identity new refuses a file that is there, and leaves it as it is`() async throws {
        try scratch.write([1, 2, 3], to: "me")
        let (_, complaint, code) = try await identity("new", file)
        #expect(code == 1)
        #expect(complaint == "earshot: \(file) exists and is not overwritten; choose another name\n")
        #expect(scratch.bytes(of: "me") == [1, 2, 3])
    }

    @Test func `a file that others can read is refused with advice, and no peer hears of the node`() async throws {
        _ = try await identity("new", file)
        _ = unsafe chmod(file, 0o644)
        let program = try start()
        #expect(await program.remainingLines() == [])
        #expect(await program.complaints().contains("mode 0644; run chmod 600 \(file)"))
        #expect(await program.ended() == .exited(1))
    }

    @Test func `a second start is refused while the first one runs`() async throws {
        let first = try start()
        _ = try await first.event("ready")
        let second = try start()
        #expect(await second.remainingLines() == [])
        #expect(await second.complaints().contains("\(file) is in use by process \(first.id);"))
        #expect(await second.ended() == .exited(1))
        await first.write("/quit\n")
        #expect(await first.ended() == .exited(0))
        _ = try await key()
    }

    @Test func `the epoch grows from run to run, also when the clock has gone back`() async throws {
        _ = try await key()
        let first = try epoch()
        #expect(first > 1_700_000_000_000)
        _ = try await key()
        #expect(try epoch() > first)
        // As if the last run had been in 2096.
        let future: UInt64 = 4_000_000_000_000
        try StoredIdentity.open(file, locking: true).unlock(with: nil).files.store { $0.epoch = future }
        for run in 1...3 {
            _ = try await key()
            #expect(try epoch() == future + UInt64(run))
        }
    }

    /// Runs it to the end, and tells its nickname at the start.
    private func nickname(_ options: [String] = [], typing text: String = "", code: CInt = 0) async throws -> String? {
        let program = try start(options)
        await program.write(text)
        let nickname = try await program.event("ready")["self"]?["nickname"]?.text
        await program.write("/quit\n")
        #expect(await program.ended() == .exited(code))
        return nickname
    }

    @Test func `a nickname is kept with the identity, whether it was chosen or drawn`() async throws {
        let drawn = try await nickname()
        #expect(try await nickname() == drawn)
        #expect(try await nickname(["--nick", "안녕"]) == "안녕")
        #expect(try await nickname(typing: "/nick \u{1b}\n/nick quiet-otter\n", code: 1) == "안녕")
        #expect(try await nickname() == "quiet-otter")
        #expect(try await nickname(["--nick", "bob"]) == "bob")
        #expect(try await nickname() == "bob")
    }

    @Test(arguments: [String(repeating: "a", count: 25), "a\u{7}", " a"])
    func `a stored nickname that breaks the rules is damage`(nickname: String) async throws {
        _ = try await key()
        try StoredIdentity.open(file, locking: true).unlock(with: nil).files.store { $0.nickname = nickname }
        let program = try start()
        #expect(await program.remainingLines() == [])
        #expect(await program.complaints().hasPrefix("earshot: \(file).state is damaged, or of another identity; "))
        #expect(await program.ended() == .exited(1))
    }

    @Test func `a damaged state is refused, and not begun anew`() async throws {
        _ = try await key()
        try scratch.write(Array("earshot-state-3\nepoch: 0\n".utf8), to: "me.state")
        let program = try start()
        #expect(await program.remainingLines() == [])
        #expect(await program.complaints().hasPrefix("earshot: \(file).state is damaged, or of another identity; "))
        #expect(await program.ended() == .exited(1))
        #expect(scratch.bytes(of: "me.state") == Array("earshot-state-3\nepoch: 0\n".utf8))
    }
}

/// Pass phrases: over a descriptor and typed.
extension ProgramIdentityTests {
    private static let phrase = "correct horse battery"

    @Test
    func `a pass phrase comes over a descriptor, the lines behind it are the chat's, and its memory is given back`()
        async throws
    {
        let (made, _, _) = try await identity(
            "new", "--json", "--passphrase-fd", "0", file, typing: Self.phrase + "\n")
        #expect(made?["passphrase"] == .bool(true))
        let program = try start(["--passphrase-fd", "0"])
        await program.write("\(Self.phrase)\nhello\n")
        #expect(try await program.event("ready")["self"]?["key"] == made?["key"])
        #expect(try await program.event("message")["text"]?.text == "hello")
        await program.write("/stats\n")
        let resident = try #require(try await program.event("result")["resident_bytes"]?.integer)
        #expect(resident < 64 << 20)
        let arguments = try #require(scratch.bytes(of: "../../proc/\(program.id)/cmdline"))
        #expect(!String(decoding: arguments, as: UTF8.self).contains("horse"))
    }

    @Test(arguments: ["correct horse batterz\n", "\n", "", "\(String(repeating: "x", count: 1_025))\n"])
    func `a wrong, empty or endless pass phrase is refused with the reason`(typed: String) async throws {
        _ = try await identity("new", "--passphrase-fd", "0", file, typing: Self.phrase + "\n")
        let program = try start(["--passphrase-fd", "0"])
        await program.write(typed)
        await program.closeInput()
        #expect(await program.remainingLines() == [])
        #expect(await program.complaints().firstMatch(of: /^earshot: (wrong )?pass phrase .*\n$/) != nil)
        #expect(await program.ended() == .exited(1))
    }

    @Test func `without a terminal and a descriptor it says how to give the phrase`() async throws {
        _ = try await identity("new", "--passphrase-fd", "0", file, typing: Self.phrase + "\n")
        let (_, complaint, code) = try await identity("show", "--passphrase-fd", "77", file)
        #expect(code == 1)
        #expect(complaint.contains("there is no descriptor 77; open one, as in --passphrase-fd 3 3< FILE"))
    }

    @Test func `a typed phrase is asked for twice and not shown, and the terminal is as it was`() async throws {
        let maker = try ProgramProcess(
            inTerminal: ["identity", "new", "--passphrase", file], environment: ["TERM=xterm"])
        #expect(await maker.reads("pass phrase for \(file): "))
        #expect(await !maker.echoes)
        await maker.write(Self.phrase + "\n")
        #expect(await maker.reads("the same again: "))
        await maker.write(Self.phrase + "\n")
        let shown = await maker.remainingLines().joined()
        #expect(shown.contains("pass phrase  yes"))
        #expect(!shown.contains("horse"))
        #expect(await maker.echoes)
        #expect(await maker.ended() == .exited(0))
        let chat = try ProgramProcess(
            inTerminal: ["--discovery", "none", "--identity", file], environment: ["TERM=dumb", "TZ=UTC"])
        #expect(await chat.reads("pass phrase for \(file): "))
        await chat.write(Self.phrase + "\n")
        #expect(await chat.reads("you are "))
        #expect(await chat.echoes)
    }

    @Test func `two phrases that differ make nothing`() async throws {
        let maker = try ProgramProcess(
            inTerminal: ["identity", "new", "--passphrase", file], environment: ["TERM=xterm"])
        #expect(await maker.reads("pass phrase for \(file): "))
        await maker.write("one\n")
        #expect(await maker.reads("the same again: "))
        await maker.write("other\n")
        #expect(await maker.reads("the two pass phrases differ, and nothing was made; try again"))
        #expect(await maker.ended() == .exited(1))
        #expect(scratch.names == [])
    }

    @Test(arguments: [("\u{3}", SIGINT), ("\u{1c}", SIGQUIT)] as [(String, CInt)])
    func `a key that interrupts the question leaves the terminal as it was`(typed: String, signal: CInt) async throws {
        _ = try await identity("new", "--passphrase-fd", "0", file, typing: Self.phrase + "\n")
        let chat = try ProgramProcess(
            inTerminal: ["--discovery", "none", "--identity", file], environment: ["TERM=xterm"])
        #expect(await chat.reads("pass phrase for \(file): "))
        await chat.write("corr" + typed)
        #expect(await chat.ended() == .exited(128 + signal))
        #expect(await chat.echoes)
    }
}
