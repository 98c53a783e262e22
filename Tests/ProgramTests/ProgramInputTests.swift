import Glibc
import TestSupport
import Testing
import Wire

@testable import Commands

/// The real program's use of standard input.
@Suite(.timeLimit(.minutes(5))) struct ProgramInputTests {
    @Test func `wrong lines are errors, and the rest of the input is read`() async throws {
        let (alice, bob) = try await ProgramRunTests.pair(["--rate", "1000000"])
        let lines: [(bytes: [UInt8], code: String)] = [
            (Array(repeating: 0x61, count: 241), "too_long"), (Array(repeating: 0x61, count: 3_073), "too_many_bytes"),
            (Array(repeating: 0x61, count: 1_000_000), "too_many_bytes"), ([0x20, 0x09], "empty"),
            (Array(("a" + String(repeating: "\u{301}", count: 13)).utf8), "too_dense"), ([0xff, 0xfe], "invalid_utf8"),
            (Array("/nope".utf8), "unknown_command"), (Array("/wipe it".utf8), "unknown_command"),
            (Array("/msg nobody hi".utf8), "unknown_peer"), (Array("/delete 0a1b2c".utf8), "unknown_message"),
            (Array("/nick \(String(repeating: "x", count: 25))".utf8), "invalid_nickname"),
            (Array("/away \(String(repeating: "x", count: 81))".utf8), "invalid_reason"),
        ]
        for line in lines {
            // A line without anything says nothing, and is no error.
            await alice.write(bytes: [0x0a] + line.bytes + [0x0a])
            #expect(try await alice.event("error")["code"]?.text == line.code)
        }
        let fits = String(repeating: "각", count: 240)
        await alice.write(fits + "\n")
        #expect(try await bob.event("message")["text"]?.text == fits)
    }

    @Test(arguments: [("hello\n", 0), ("/nope\nhello\n", 1), ("hello\n/msg nobody hi", 1), ("/nope\n/quit\n", 1)])
    func `a pipe of which a line was refused leaves with 1, after the rest was done`(lines: String, code: CInt)
        async throws
    {
        let (program, _) = try await ProgramRunTests.listening()
        await program.write(lines)
        await program.closeInput()
        let told = await program.remainingLines()
        #expect(told.contains { $0.contains("\"event\":\"message\"") } == lines.contains("hello"))
        #expect(await program.ended() == .exited(code))
    }

    @Test func `the end of the input flushes everything to the others before leaving`() async throws {
        let (alice, bob) = try await ProgramRunTests.pair(["--rate", "1000000"])
        let lines = (0..<300).map { "line \($0)" }
        await alice.write(lines.joined(separator: "\n"))
        await alice.closeInput()
        async let own = alice.remainingLines()
        for line in lines { #expect(try await bob.event("message")["text"]?.text == line) }
        #expect(try await bob.event("peer")["state"]?.text == "offline")
        #expect(await own.count == 300)
        #expect(await alice.ended() == .exited(0))
    }

    @Test func `a pipe that is faster than the rate waits and loses nothing`() async throws {
        let (alice, bob) = try await ProgramRunTests.pair(["--rate", "20"])
        let lines = (0..<130).map { "line \($0)" }
        await alice.write(lines.joined(separator: "\n") + "\n/quit\n")
        async let own = alice.remainingLines()
        for line in lines { #expect(try await bob.event("message")["text"]?.text == line) }
        #expect(await own.allSatisfy { !$0.contains("rate_limited") })
        #expect(await alice.ended() == .exited(0))
    }

    @Test func `commands answer with the counters and the commands`() async throws {
        let (program, _) = try await ProgramRunTests.listening()
        await program.write("/stats\n/help\n/mute nobody\n/away\n/nick new name\n")
        let statistics = try await program.event("result")
        #expect((statistics["resident_bytes"]?.integer ?? 0) > 1_000_000)
        #expect((statistics["start_to_ready_us"]?.integer ?? 0) > 0)
        #expect(statistics["peers_online"]?.integer == 0)
        #expect(try await program.event("result")["commands"]?.elements.count == CommandEntry.all.count)
        #expect(try await program.event("error")["code"]?.text == "unknown_peer")
        #expect(try await program.event("result")["command"]?.text == "away")
        #expect(try await program.event("result")["who"]?["nickname"]?.text == "new name")
    }

    @Test func `plain lines keep what others wrote in its place`() async throws {
        let bob = try ProgramProcess(["--plain", "--discovery", "none", "--nick", "bob"])
        let ready = try #require(await bob.line())
        let port = try #require(ready.firstMatch(of: /port ([0-9]+),/)?.1)
        let alice = try ProgramProcess(
            ["--discovery", "none", "--json", "--nick", "al\u{202e}ice", "--peer", "127.0.0.1:\(port)"])
        let here = try #require(await bob.line())
        #expect(here.wholeMatch(of: /[0-9]{2}:[0-9]{2}:[0-9]{2} \* al\u{fffd}ice#[0-9]{4} is here/) != nil)
        _ = try await alice.event("peer")
        await alice.write("a\u{1b}[2Jb\0c\u{202e}d\n")
        let said = try #require(await bob.line())
        #expect(said.hasSuffix("ice\(here.firstMatch(of: /#[0-9]{4}/)?.0 ?? "")> a\u{fffd}[2Jb\u{fffd}c\u{fffd}d"))
        await bob.write("/nope\n/quit\n")
        #expect(await bob.ended() == .exited(1))
        #expect(await bob.complaints() == "earshot: no command /nope; did you mean /open?\n")
    }
}
