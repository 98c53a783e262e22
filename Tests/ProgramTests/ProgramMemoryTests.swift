import Glibc
import TestSupport
import Testing

/// The conversations that the real program remembers with an identity that is kept.
@Suite(.timeLimit(.minutes(5))) struct ProgramMemoryTests {
    private let scratch: StorageScratch

    init() throws { scratch = try StorageScratch() }

    /// Alice, whose identity is kept, dials Bob.
    private func alice(dialling port: Int, _ options: [String] = []) throws -> ProgramProcess {
        let own = ["--nick", "alice", "--identity", scratch("alice"), "--peer", "127.0.0.1:\(port)"]
        return try ProgramProcess(ProgramRunTests.alone + own + options)
    }

    private func state() -> String {
        scratch.bytes(of: "alice.state").map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    @Test(arguments: [false, true])
    func `a text that waited for a killed program is one message of its conversation, in its edited form`(
        isSealed: Bool
    )
        async throws
    {
        let (bob, port) = try await ProgramRunTests.listening(["--nick", "bob"])
        let options = isSealed ? ["--passphrase-fd", "0"] : []
        let phrase = isSealed ? "correct horse\n" : ""
        let first = try alice(dialling: port, options)
        await first.write(phrase)
        let key = try #require(try await first.event("peer")["who"]?["key"]?.text)
        await bob.write("/msg alice may I?\n")
        _ = try await first.event("request")
        // The answer comes when its change is stored, behind the acceptance.
        await first.write("/accept bob\n/verify bob ok\n")
        _ = try await first.event("result")
        #expect(state().contains("accepted: \(key)\n") == !isSealed)
        await first.signal(SIGKILL)
        _ = await first.ended()
        _ = try await bob.event("peer") { $0["state"]?.text == "offline" }
        await bob.write("/open alice\nhelo\n/edit hello\n")
        let sent = try await bob.event("message") { $0["text"]?.text == "helo" }
        _ = try await bob.event("edited")
        let second = try alice(dialling: port, options)
        await second.write(phrase)
        _ = try await bob.event("delivered") { $0["ids"]?.elements.contains { $0 == sent["id"] } == true }
        await second.write("/history bob\n/quit\n")
        let events = try await second.remainingLines().map { try TestedJSON($0) }
        let names = events.compactMap { $0["event"]?.text }
        #expect(names.count { $0 == "message" } == 1)
        #expect(!names.contains("request"))
        let history = try #require(events.first { $0["event"]?.text == "result" })
        #expect(history["messages"]?.elements.compactMap { $0["text"]?.text } == ["hello"])
    }

    @Test func `an ended conversation is forgotten in the file, and a wipe removes it`() async throws {
        let (bob, port) = try await ProgramRunTests.listening(["--nick", "bob"])
        let program = try alice(dialling: port)
        _ = try await program.event("peer")
        for ending in ["/leave bob", "/block bob"] {
            await bob.write("/msg alice may I?\n")
            _ = try await program.event("request")
            await program.write("/accept bob\n/verify bob ok\n")
            _ = try await program.event("result")
            #expect(state().contains("accepted: "))
            await program.write("\(ending)\n/verify bob ok\n")
            _ = try await program.event("result") { $0["command"]?.text == "verify" }
            #expect(!state().contains("accepted: "))
        }
        await program.write("/wipe now\n")
        _ = try await program.event("result") { $0["command"]?.text == "wipe" }
        #expect(scratch.names == [])
    }
}
