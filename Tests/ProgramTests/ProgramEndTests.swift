import Glibc
import TestSupport
import Testing

@testable import Commands
@testable import Settings

/// How the real program ends.
@Suite(.timeLimit(.minutes(5))) struct ProgramEndTests {
    @Test(arguments: [(SIGTERM, 143), (SIGINT, 130), (SIGHUP, 129)] as [(CInt, CInt)])
    func `a signal makes it leave politely, with the signal in its exit code`(signal: CInt, code: CInt) async throws {
        let (alice, bob) = try await ProgramRunTests.pair()
        await alice.signal(signal)
        #expect(try await bob.event("peer")["state"]?.text == "offline")
        _ = await alice.remainingLines()
        #expect(await alice.ended() == .exited(code))
        await bob.write("/stats\n")
        #expect(try await bob.event("result")["peers_online"]?.integer == 0)
    }

    @Test func `a reader that has enough ends it without a word`() async throws {
        let (program, _) = try await ProgramRunTests.listening()
        await program.closeOutput()
        await program.write("hello\n")
        #expect(await program.ended() == .exited(0))
        #expect(await program.complaints() == "")
    }

    @Test(arguments: [
        ["--prot", "1"], ["--port", "x"], ["doctor", "now"], ["--passphrase-fd", "3"], ["identity", "new"],
    ])
    func `wrong usage is one line on standard error and exit code 2`(options: [String]) async throws {
        let program = try ProgramProcess(options)
        #expect(await program.remainingLines() == [])
        let complaint = await program.complaints()
        #expect(complaint.hasPrefix("earshot: "))
        #expect(complaint.split(separator: "\n").count == 1)
        #expect(await program.ended() == .exited(2))
    }

    @Test func `help and the version go to standard output`() async throws {
        let help = try ProgramProcess(["--help"])
        #expect(await help.remainingLines().joined(separator: "\n") + "\n" == HelpText.text(for: .chat))
        #expect(await help.ended() == .exited(0))
        let version = try ProgramProcess(["--version"])
        #expect(await version.remainingLines() == ["earshot \(Version.current)"])
        #expect(await version.ended() == .exited(0))
    }

    @Test func `a port that is taken is a failure that says what to do`() async throws {
        let (first, port) = try await ProgramRunTests.listening()
        let second = try ProgramProcess(ProgramRunTests.alone + ["--port", "\(port)"])
        #expect(await second.remainingLines() == [])
        let complaint = await second.complaints()
        #expect(
            complaint
                == "earshot: can not listen on port \(port): bind: address already in use; choose another with --port\n"
        )
        #expect(await second.ended() == .exited(1))
        await first.write("/quit\n")
        #expect(await first.ended() == .exited(0))
    }

    @Test func `an interface that does not exist is a failure`() async throws {
        let program = try ProgramProcess(ProgramRunTests.alone + ["--interface", "nope0"])
        #expect(await program.complaints() == "earshot: no network interface \"nope0\"; ip link lists them\n")
        #expect(await program.ended() == .exited(1))
    }

    @Test(arguments: [
        (["--config", "/tmp"], "\"/tmp\": is a directory; name a file with --config"),
        (["doctor", "--config", "/tmp"], "\"/tmp\": is a directory; name a file with --config"),
        (["--config", "/nonexistent/file"], "no file \"/nonexistent/file\"; see --config"),
    ])
    func `a configuration file that can not be read is wrong usage`(options: [String], complaint: String) async throws {
        let program = try ProgramProcess(options)
        #expect(await program.complaints() == "earshot: \(complaint)\n")
        #expect(await program.ended() == .exited(2))
    }

    @Test func `the person's own file may be absent, but not be a directory`() async throws {
        let absent = try ProgramProcess(["who"], environment: ["XDG_CONFIG_HOME=/nonexistent"])
        #expect(await absent.ended() == .exited(69))
        var name = Array("/tmp/earshot-own-XXXXXX".utf8CString)
        try #require(unsafe mkdtemp(&name) != nil)
        let home = String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let folders = [home + "/earshot", home + "/earshot/config"]
        defer { for folder in folders.reversed() + [home] { _ = unsafe rmdir(folder) } }
        for folder in folders { _ = unsafe mkdir(folder, 0o700) }
        let present = try ProgramProcess(["who"], environment: ["XDG_CONFIG_HOME=\(home)"])
        #expect(
            await present.complaints()
                == "earshot: \"\(folders[1])\": is a directory; name a file with --config\n")
        #expect(await present.ended() == .exited(2))
    }

    @Test func `a terminal shows a warning above the prompt, and a refused line does not change the exit code`()
        async throws
    {
        let options = ["--discovery", "none", "--peer", "no..name:4000"]
        let program = try ProgramProcess(inTerminal: options, environment: ["TERM=xterm", "TZ=UTC"])
        #expect(await program.reads("! peer no..name:4000 can not be reached: "))
        await program.write("/nope\n")
        #expect(await program.reads("! no command /nope"))
        await program.write("\u{15}\u{4}")
        #expect(await program.ended() == .exited(0))
    }

    @Test func `in a terminal there is a prompt, and Ctrl-D leaves`() async throws {
        let program = try ProgramProcess(inTerminal: ["--discovery", "none"], environment: ["TERM=xterm", "TZ=UTC"])
        #expect(await program.reads(" · 1 here > "))
        await program.write("/open\n")
        #expect(await program.reads("! /open does not say who is meant; write /open WHO|ROOM"))
        // The refused line is in the history, and not in the editor.
        await program.write("\u{4}")
        #expect(await program.ended() == .exited(0))
    }

    @Test func `in a terminal Ctrl-C leaves, and TERM=dumb gets no escape sequence`() async throws {
        let program = try ProgramProcess(inTerminal: ["--discovery", "none"], environment: ["TERM=dumb", "TZ=UTC"])
        let ready = try #require(await program.line())
        #expect(!ready.contains("\u{1b}"))
        await program.write("\u{3}")
        #expect(await program.ended() == .exited(130))
    }
}
