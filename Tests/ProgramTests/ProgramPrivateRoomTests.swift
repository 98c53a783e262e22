import Glibc
import TestSupport
import Testing

/// The real program in private rooms.
@Suite(.timeLimit(.minutes(5))) struct ProgramPrivateRoomTests {
    private static let words = "abide-amend-leader-amend-exempt-afford-bring-cymbal"
    private let scratch: StorageScratch

    init() throws { scratch = try StorageScratch() }

    private func options(_ key: String, mode: mode_t = 0o600) throws -> [String] {
        try scratch.write(Array(key.utf8), to: "key", mode: mode)
        return ["--room", "kitchen", "--key-file", scratch("key")]
    }

    /// The error of a program that does not start.
    private func complaint(_ options: [String]) async throws -> String {
        let program = try ProgramProcess(ProgramRunTests.alone + options)
        #expect(await program.ended() == .exited(1))
        return await program.complaints()
    }

    @Test func `room new makes a key of eight words, and two nodes with it chat`() async throws {
        let made = try ProgramProcess(["room", "new", "kitchen"])
        let lines = await made.remainingLines()
        #expect(await made.ended() == .exited(0))
        #expect(lines.count == 1 && lines[0].split(separator: "-").count == 8)
        let (alice, bob) = try await ProgramRunTests.pair(try options(lines[0] + "\nanything else\n"))
        await alice.write("in private\n")
        #expect(try await bob.event("message")["text"]?.text == "in private")
    }

    @Test func `a key comes over a descriptor, and the lines behind it are the chat's`() async throws {
        let program = try ProgramProcess(ProgramRunTests.alone + ["--room", "kitchen", "--key-fd", "0"])
        await program.write(Self.words + "\nsaid\n")
        #expect(try await program.event("ready")["room"]?.text == "kitchen")
        #expect(try await program.event("message")["text"]?.text == "said")
    }

    @Test func `a file that others can read is refused with the remedy`() async throws {
        let told = try await complaint(try options(Self.words, mode: 0o640))
        let path = scratch("key")
        #expect(
            told == "earshot: \(path) is open to others, mode 0640; run chmod 600 \(path), and if others may have "
                + "read it, use it no more\n")
        #expect(
            try await complaint(["--room", "kitchen", "--key-file", scratch("none")])
                == "earshot: there is no \(scratch("none")); see whether the name is right\n")
    }

    @Test(arguments: [
        ("abide-amend-leeder-amend-exempt-afford-bring-cymbal", "word 3 of the key is in no key; did you mean leader?"),
        (
            "abide-amend-leader-amend-exempt-afford-cymbal-bring",
            "the key has a typing error; compare it with the key that you were given"
        ),
        ("abide-amend-leader-amend-exempt-afford-bring", "the key has 7 words; a key has 8"),
        ("short", "the key has 5 characters; a pass phrase has 8 at least, a generated key 8 words"),
        ("", "the key has 0 characters; a pass phrase has 8 at least, a generated key 8 words"),
    ])
    func `a key that is none is refused before anything is dialled, and not repeated`(
        key: String, message: String
    ) async throws {
        let told = try await complaint(try options(key + "\n"))
        #expect(told == "earshot: \(scratch("key")): \(message)\n")
    }

    @Test func `a wipe forgets the key of a private room, and the node goes on in the lobby`() async throws {
        let options = try options(Self.words)
        let (alice, bob) = try await ProgramRunTests.pair(options)
        await bob.write("/wipe now\n")
        #expect(try await bob.event("ready")["room"]?.text == "lobby")
        #expect(try await alice.event("peer") { $0["state"]?.text == "offline" }["room"]?.text == "kitchen")
    }
}
