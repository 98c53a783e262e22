import TestSupport
import Testing

/// The marks that the real program remembers of peers, and how it forgets them.
@Suite(.timeLimit(.minutes(5))) struct ProgramMarkTests {
    private let scratch: StorageScratch

    init() throws { scratch = try StorageScratch() }

    /// Alice, whose identity is kept, dials Bob.
    private func alice(dialling port: Int, _ options: [String] = []) throws -> ProgramProcess {
        let own = ["--nick", "alice", "--identity", scratch("alice"), "--peer", "127.0.0.1:\(port)"]
        return try ProgramProcess(ProgramRunTests.alone + own + options)
    }

    private func leave(_ program: ProgramProcess) async {
        await program.write("/quit\n")
        #expect(await program.ended() == .exited(0))
    }

    @Test func `both see the same code, and a verified key is verified again after a restart`() async throws {
        let (bob, port) = try await ProgramRunTests.listening(["--nick", "bob"])
        let first = try alice(dialling: port)
        let met = try await first.event("peer")
        await first.write("/verify bob\n/verify bob ok\n/verify bob no\n/verify bob ok\n")
        let told = try await first.event("result")
        #expect(told.names == ["event", "command", "room", "with", "code", "verified", "kept"])
        #expect(told["command"]?.text == "verify")
        #expect(told["with"]?["key"] == met["who"]?["key"])
        #expect(told["verified"] == .bool(false))
        #expect(told["kept"] == .bool(true))
        for expected in [true, false, true] {
            let result = try await first.event("result")
            #expect(result["verified"] == .bool(expected))
            #expect(result["code"] == told["code"])
        }
        await bob.write("/verify alice\n")
        let seen = try await bob.event("result")
        #expect(seen["code"] == told["code"])
        #expect(seen["verified"] == .bool(false))
        #expect(seen["kept"] == .bool(false))
        await leave(first)
        let second = try alice(dialling: port)
        _ = try await second.event("peer")
        await second.write("/who\n")
        #expect(try await second.event("result")["peers"]?[0]?["verified"] == .bool(true))
    }

    @Test func `a blocked key is blocked after a restart, and is let in again when it is unblocked by its number`()
        async throws
    {
        let (bob, port) = try await ProgramRunTests.listening(["--nick", "bob"])
        let first = try alice(dialling: port)
        let number = try #require(try await first.event("peer")["who"]?["number"]?.integer)
        await first.write("/block bob\n")
        _ = try await first.event("result")
        _ = try await bob.event("peer") { $0["state"]?.text == "offline" }
        await leave(first)
        let second = try alice(dialling: port)
        _ = try await second.event("ready")
        await second.write("/msg \(number) hello\n/who\n")
        #expect(try await second.event("error")["code"]?.text == "not_connected")
        #expect(try await second.event("result")["peers"]?.elements == [])
        await second.write("/unblock \(number)\n")
        #expect(try await second.event("peer")["who"]?["nickname"]?.text == "bob")
    }

    @Test func `wiping reports what it forgot, removes the files and goes on under a new identity`() async throws {
        let (bob, port) = try await ProgramRunTests.listening(["--nick", "bob"])
        // Without history: Bob would send her own lines back to her, as the words of another author.
        let program = try alice(dialling: port, ["--no-history"])
        let before = try #require(try await program.event("ready")["self"])
        _ = try await program.event("peer")
        await program.write("one\ntwo\n/msg bob psst\n")
        _ = try await bob.event("request")
        await program.write("/wipe now\n/who\n/unread\nhello again\n")
        let wiped = try await program.event("result")
        #expect(
            wiped.names == ["event", "command", "room", "conversations", "messages", "peers", "files", "pauseSeconds"])
        #expect(wiped["command"]?.text == "wipe")
        #expect(wiped["conversations"]?.integer == 2)
        #expect(wiped["messages"]?.integer == 3)
        #expect(wiped["peers"]?.integer == 1)
        #expect(wiped["files"]?.elements.compactMap(\.text) == [scratch("alice"), scratch("alice.state")])
        #expect(scratch.names == [])
        let next = try TestedJSON(try #require(await program.line()))
        #expect(next["event"]?.text == "ready")
        let after = try #require(next["self"])
        #expect(after["key"] != before["key"])
        #expect(after["nickname"] != before["nickname"])
        _ = try await bob.event("peer") { $0["state"]?.text == "offline" && $0["who"]?["key"] == before["key"] }
        #expect(try await bob.event("message")["from"]?["key"] == after["key"])
        await program.write("/quit\n")
        let rest = await program.remainingLines()
        let old = try #require(before["key"]?.text)
        #expect(!rest.contains { $0.contains(old) })
        #expect(await program.ended() == .exited(0))
        #expect(scratch.names == [])
    }

    @Test func `a mark set after a wipe is no longer kept`() async throws {
        let (bob, port) = try await ProgramRunTests.listening(["--nick", "bob"])
        let program = try alice(dialling: port)
        _ = try await program.event("peer")
        await program.write("/wipe now\n")
        _ = try await program.event("ready")
        _ = try await program.event("peer")
        await program.write("/verify bob ok\n")
        #expect(try await program.event("result")["kept"] == .bool(false))
        await leave(program)
        await leave(bob)
        #expect(scratch.names == [])
    }

    @Test func `a pipe that wipes goes on with the lines behind, twice too`() async throws {
        let program = try ProgramProcess(["--plain", "--discovery", "none", "--nick", "alice"])
        await program.write("hello\n/wipe now\nhello again\n/wipe now\n/history\n")
        await program.closeInput()
        let lines = await program.remainingLines().map { $0.dropFirst(9) }
        #expect(await program.ended() == .exited(0))
        #expect(lines.count { $0.hasPrefix("* you are ") } == 3)
        #expect(lines.filter { $0.hasPrefix("* forgotten: ") }.count == 6)
        #expect(lines.count { $0 == "* forgotten: 1 conversation with 1 message" } == 2)
        #expect(lines.contains("* you go on under a new identity, which no file keeps"))
        #expect(lines.last == "* history of lobby: 0 messages")
    }
}
