import Glibc
import TestSupport
import Testing

/// The real program where the kernel's view of processes is not mounted.
@Suite(.timeLimit(.minutes(5))) struct ProgramArgumentSourceTests {
    private static let isSanitized = unsafe getenv("ASAN_OPTIONS") != nil

    /// Runs a command of `mount` in a mount namespace of the program's own.
    private static func behind(_ mount: String) -> [String] {
        [
            "/bin/sh", "-c",
            """
            unshare --mount true 2>/dev/null || set -- --user --map-root-user "$@"
            exec unshare --mount "$@"
            """, "sh", "sh", "-c", "\(mount) && exec \"$@\"", "sh",
        ]
    }

    @Test(.disabled(if: isSanitized, "AddressSanitizer reads its options in proc"))
    func `without proc the arguments still hold`() async throws {
        let version = try ProgramProcess(["--version"], behind: Self.behind("mount -t tmpfs none /proc"))
        #expect(await version.remainingLines().first?.hasPrefix("earshot ") == true)
        #expect(await version.ended() == .exited(0))
    }

    /// The arguments alone are hidden, because libdispatch ends a busy program that can not read of its own threads.
    @Test func `a chat whose arguments proc hides still has them`() async throws {
        let chat = try ProgramProcess(
            ProgramRunTests.alone + ["--room", "secret"], behind: Self.behind("mount --bind /dev/null /proc/$$/cmdline")
        )
        #expect(try await chat.event("ready")["room"]?.text == "secret")
        await chat.write("/quit\n")
        #expect(await chat.ended() == .exited(0))
    }
}
