import Testing

/// The real program where the kernel's view of processes is not mounted.
@Suite(.timeLimit(.minutes(2))) struct ProgramArgumentSourceTests {
    /// Hides `/proc` behind an empty file system in a mount namespace of its own.
    private static let withoutProc = [
        "/bin/sh", "-c",
        """
        unshare --mount true 2>/dev/null || set -- --user --map-root-user "$@"
        exec unshare --mount "$@"
        """, "sh", "sh", "-c", "mount -t tmpfs none /proc && exec \"$@\"", "sh",
    ]

    @Test func `without proc the arguments still hold`() async throws {
        let version = try ProgramProcess(["--version"], behind: Self.withoutProc)
        #expect(await version.remainingLines().first?.hasPrefix("earshot ") == true)
        #expect(await version.ended() == .exited(0))
        let chat = try ProgramProcess(ProgramRunTests.alone + ["--room", "secret"], behind: Self.withoutProc)
        #expect(try await chat.event("ready")["room"]?.text == "secret")
        await chat.write("/quit\n")
        #expect(await chat.ended() == .exited(0))
    }
}
