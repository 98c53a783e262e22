import Glibc
import TestSupport
import Testing

/// The real program, started and talked to over loopback.
@Suite(.timeLimit(.minutes(5))) struct ProgramRunTests {
    static let alone = ["--json", "--discovery", "none"]

    /// A program that listens, and its port.
    static func listening(_ options: [String] = []) async throws -> (program: ProgramProcess, port: Int) {
        let program = try ProgramProcess(alone + options)
        let ready = try await program.event("ready")
        return (program, try #require(ready["port"]?.integer))
    }

    /// Alice and Bob, connected.
    static func pair(_ options: [String] = []) async throws -> (alice: ProgramProcess, bob: ProgramProcess) {
        let (alice, port) = try await listening(["--nick", "alice"] + options)
        let bob = try ProgramProcess(alone + ["--nick", "bob", "--peer", "127.0.0.1:\(port)"] + options)
        _ = try await alice.event("peer") { $0["who"]?["nickname"]?.text == "bob" && $0["state"]?.text == "online" }
        _ = try await bob.event("peer") { $0["who"]?["nickname"]?.text == "alice" && $0["state"]?.text == "online" }
        return (alice, bob)
    }

    static func number(of program: ProgramProcess, by other: ProgramProcess) async throws -> String {
        await other.write("/who\n")
        let answer = try await other.event("result")
        let number = answer["peers"]?[0]?["who"]?["number"]?.integer
        return "#\(try #require(number))"
    }

    @Test func `it says that it is ready, and leaves when asked`() async throws {
        let program = try ProgramProcess(Self.alone + ["--nick", "alice", "--room", "kitchen"])
        let ready = try await program.event("ready")
        #expect(ready.names == ["event", "room", "version", "self", "port", "discovery"])
        #expect(ready["room"]?.text == "kitchen")
        #expect(ready["discovery"]?.text == "none")
        #expect(ready["self"]?["nickname"]?.text == "alice")
        await program.write("/quit\nnever read\n")
        #expect(await program.remainingLines() == [])
        #expect(await program.ended() == .exited(0))
        #expect(await program.complaints() == "")
    }

    @Test func `two that meet chat both ways`() async throws {
        let (alice, bob) = try await Self.pair()
        await alice.write("hello bob\n")
        let heard = try await bob.event("message")
        #expect(heard["text"]?.text == "hello bob")
        #expect(heard["conversation"]?.text == "public")
        #expect(heard["isFromCurrentUser"] == .bool(false))
        #expect(heard["from"]?["nickname"]?.text == "alice")
        let said = try await alice.event("message")
        #expect(said["isFromCurrentUser"] == .bool(true))
        #expect(said["id"] == heard["id"])
        await bob.write("//hello 알리스 👋\r\n")
        #expect(try await alice.event("message")["text"]?.text == "/hello 알리스 👋")
    }

    @Test func `rooms do not hear each other`() async throws {
        let (alice, port) = try await Self.listening(["--room", "kitchen"])
        let bob = try ProgramProcess(Self.alone + ["--room", "cellar", "--peer", "127.0.0.1:\(port)"])
        _ = try await bob.event("ready")
        await bob.write("hello\n/quit\n")
        _ = await bob.remainingLines()
        #expect(await bob.ended() == .exited(0))
        await alice.write("/who\n/quit\n")
        #expect(try await alice.event("result")["peers"]?.elements == [])
    }

    @Test func `a direct conversation is asked for, accepted and answered`() async throws {
        let (alice, bob) = try await Self.pair()
        let toBob = try await Self.number(of: bob, by: alice)
        let toAlice = try await Self.number(of: alice, by: bob)
        await alice.write("/msg \(toBob) psst\n")
        #expect(try await bob.event("request")["text"]?.text == "psst")
        await alice.write("/msg \(toBob) still there?\n")
        #expect(try await alice.event("error")["code"]?.text == "not_accepted")
        await bob.write("/requests\n/accept \(toAlice)\n/open \(toAlice)\nyes\n")
        #expect(try await bob.event("result")["requests"]?[0]?["text"]?.text == "psst")
        #expect(try await alice.event("direct")["state"]?.text == "accepted")
        let reply = try await alice.event("message")
        #expect(reply["text"]?.text == "yes")
        #expect(reply["conversation"]?.text == "direct")
        #expect(reply["with"]?["nickname"]?.text == "bob")
        #expect(reply["unread"]?.integer == 1)
        await alice.write("/unread\n/history \(toBob)\n/leave \(toBob)\n")
        let unread = try await alice.event("result")
        #expect(unread["conversations"]?.elements.contains { $0["unread"]?.integer == 1 } == true)
        #expect(try await alice.event("result")["messages"]?.elements.last?["text"]?.text == "yes")
        #expect(try await bob.event("direct") { $0["state"]?.text == "left" }["with"]?["nickname"]?.text == "alice")
    }

    @Test func `a direct message says how far it came, and what can not come is failed`() async throws {
        let (alice, bob) = try await Self.pair(["--read-receipts"])
        let toBob = try await Self.number(of: bob, by: alice)
        let toAlice = try await Self.number(of: alice, by: bob)
        await alice.write("/msg \(toBob) psst\n")
        #expect(try await alice.event("message")["delivery"]?.text == "sending")
        let request = try await bob.event("request")
        #expect(request["text"]?.text == "psst")
        await bob.write("/accept \(toAlice)\n")
        #expect(try await alice.event("read")["with"]?["nickname"]?.text == "bob")
        await alice.write("/msg \(toBob) look\n")
        let id = try #require(try await alice.event("message")["id"])
        #expect(try await alice.event("delivered")["ids"]?.elements == [id])
        await bob.write("/open \(toAlice)\n")
        #expect(try await alice.event("read")["ids"]?.elements == [id])
        await bob.signal(SIGKILL)
        _ = try await alice.event("peer") { $0["state"]?.text == "offline" }
        await alice.write("/msg \(toBob) lost\n")
        let lost = try #require(try await alice.event("message")["id"])
        await alice.write("/history \(toBob)\n/quit\n")
        let states = try await alice.event("result")["messages"]?.elements.map { $0["delivery"]?.text }
        #expect(states == ["read", "read", "sending"])
        let failed = try await alice.event("failed")
        #expect(failed["ids"]?.elements == [lost])
        #expect(failed["with"]?["nickname"]?.text == "bob")
        #expect(await alice.ended() == .exited(0))
    }

    @Test func `an edit and a deletion reach the others`() async throws {
        let (alice, bob) = try await Self.pair()
        await alice.write("helo\n")
        let id = try #require(try await bob.event("message")["id"]?.text)
        await alice.write("/edit hello\n")
        let edited = try await bob.event("edited")
        #expect(edited["id"]?.text == id)
        #expect(edited["text"]?.text == "hello")
        await alice.write("/delete \(id.prefix(8))\n")
        #expect(try await bob.event("deleted")["id"]?.text == id)
    }
}
