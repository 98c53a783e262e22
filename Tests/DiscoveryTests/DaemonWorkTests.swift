import Testing

@testable import Discovery

/// Whether a daemon that does not answer is busy.
@Suite struct DaemonWorkTests {
    private func status(_ name: String, user: Int, kernel: Int) -> String {
        "731 (\(name)) S 1 731 731 0 -1 4194624 345 0 0 0 \(user) \(kernel) 0 0 20 0 1 0 300 8388608 900 18446744073709551615"
    }

    private func work(_ user: Int, _ kernel: Int, process: Int = 731, schedule: String? = nil) -> DaemonWork? {
        DaemonWork(
            process: process, status: status("avahi-daemon", user: user, kernel: kernel), schedule: schedule)
    }

    @Test func `its time is what it and the kernel on its behalf have computed`() throws {
        #expect(try #require(work(12, 5)).ticks == 17)
    }

    @Test func `one that waits for a processor is busy, where the kernel tells`() throws {
        let before = try #require(work(12, 5, schedule: "170000000 20000000 40\n"))
        #expect(before.ticks == 19)
        #expect(try #require(work(12, 5, schedule: "170000000 40000000 41\n")).goesOn(since: before))
        #expect(try !#require(work(12, 5, schedule: "170000000 39999999 41\n")).goesOn(since: before))
        for schedule in [nil, "", "x", "170000000", "170000000 x 40"] {
            #expect(try #require(work(12, 5, schedule: schedule)).ticks == 17)
        }
    }

    @Test func `another program with its number is not it, whatever it calls itself`() {
        for name in ["cat", "avahi-daemon-x", "avahi", "x) S 1 (avahi-daemon x"] {
            #expect(DaemonWork(process: 731, status: status(name, user: 1, kernel: 1), schedule: nil) == nil)
        }
    }

    @Test(arguments: ["", ")", "731 (avahi-daemon)", "731 (avahi-daemon) S 1 2 3 4 5 6 7 8 9 10 11"])
    func `a truncated file gives nothing`(status: String) {
        #expect(DaemonWork(process: 731, status: status, schedule: nil) == nil)
    }

    @Test func `it goes on if it computes, and is the same`() throws {
        let before = try #require(work(10, 10))
        #expect(try #require(work(12, 10)).goesOn(since: before))
        #expect(try #require(work(11, 11)).goesOn(since: before))
        // A process that has just woken may be charged a tick.
        #expect(try !#require(work(11, 10)).goesOn(since: before))
        #expect(try !#require(work(10, 10)).goesOn(since: before))
        #expect(try !#require(work(50, 10, process: 9)).goesOn(since: before))
        #expect(try !#require(work(50, 10)).goesOn(since: nil))
    }
}
