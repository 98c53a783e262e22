import Glibc
import Reactor
import TestSupport
import Testing
import Wire

/// An actor that lives on a loop, as the node does.
private actor Resident {
    nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }
    private(set) var count = 0

    init(loop: EventLoop) { self.loop = loop }

    func add() -> Bool {
        count += 1
        return loop.isIsolatingCurrentContext() == true
    }

    /// Waits for the end of another loop; `job` runs on this one unless that blocks it.
    func end(_ other: EventLoop, meanwhile job: @escaping @Sendable () -> Void) async {
        loop.execute(job)
        await other.end()
    }

    /// Called on the loop, outside any task.
    nonisolated func callback() { assumeIsolated { $0.count += 1 } }
}

@Suite(.timeLimit(.minutes(5))) struct ReactorLoopTests {
    @Test func `jobs from one thread run in the order in which they were asked for`() throws {
        let loop = try EventLoop(name: "order")
        let ran = Locked<[Int]>([])
        try loop.start()
        for number in 0..<5_000 { loop.execute { ran.change { $0.append(number) } } }
        loop.stop()
        #expect(ran.value == Array(0..<5_000))
    }

    @Test func `jobs of several threads keep each thread's order and none is lost`() async throws {
        let loop = try EventLoop(name: "threads")
        let ran = Locked<[[Int]]>(Array(repeating: [], count: 4))
        try loop.start()
        await withTaskGroup(of: Void.self) { group in
            for source in 0..<4 {
                group.addTask {
                    for number in 0..<2_000 { loop.execute { ran.change { $0[source].append(number) } } }
                }
            }
        }
        loop.stop()
        #expect(ran.value == Array(repeating: Array(0..<2_000), count: 4))
    }

    @Test func `a launched task stays on the loop, also when another thread resumes it`() async throws {
        let (loop, other) = (try EventLoop(name: "task"), try EventLoop(name: "other"))
        let isOnLoop = Locked<[Bool?]>([])
        try loop.start()
        try other.start()
        await withCheckedContinuation { end in
            loop.launch {
                isOnLoop.change { $0.append(loop.isIsolatingCurrentContext()) }
                await withCheckedContinuation { waiting in other.execute { waiting.resume() } }
                isOnLoop.change { $0.append(loop.isIsolatingCurrentContext()) }
                end.resume()
            }
        }
        #expect(isOnLoop.value == [true, true])
        loop.stop()
        other.stop()
    }

    @Test func `a loop looks at the clock every half minute, since its wait does not count a suspension`() {
        let now = Instant(nanoseconds: 7)
        #expect(EventLoop.pause(until: now + .seconds(3), at: now) == .seconds(3))
        #expect(EventLoop.pause(until: now + .seconds(3_600), at: now) == .seconds(30))
    }

    @Test func `an actor on the loop is reached by calls and by callbacks`() async throws {
        let loop = try EventLoop(name: "actor")
        let resident = Resident(loop: loop)
        try loop.start()
        for _ in 0..<100 { #expect(await resident.add()) }
        loop.execute { resident.callback() }
        #expect(await resident.count == 101)
        loop.stop()
        #expect(loop.isIsolatingCurrentContext() == false)
    }

    @Test func `timers run in order, equal deadlines as they came, and none too early`() async throws {
        let loop = try EventLoop(name: "timers")
        try loop.start()
        let ran: [Int] = await withCheckedContinuation { continuation in
            loop.execute {
                let list = Locked<[Int]>([])
                let start = loop.now
                for (number, milliseconds) in [(3, 6), (0, 0), (1, 3), (2, 3)] {
                    loop.schedule(at: start + .milliseconds(milliseconds)) {
                        #expect(Instant.monotonic - start >= .milliseconds(milliseconds))
                        list.change { $0.append(number) }
                    }
                }
                loop.schedule(at: start + .milliseconds(7)) {
                    continuation.resume(returning: list.value)
                }
            }
        }
        #expect(ran == [0, 1, 2, 3])
        loop.stop()
    }

    @Test func `a turn is events, jobs, timers, hooks, and what a hook asks for is of the next turn`() async throws {
        let loop = try EventLoop(name: "turn")
        let log = Locked<[String]>([])
        try loop.start()
        await withCheckedContinuation { continuation in
            loop.execute {
                let first = loop.turns
                @Sendable func note(_ what: String) { log.change { $0.append("\(what) \(loop.turns - first)") } }
                loop.atEndOfTurn {
                    note("hook")
                    loop.atEndOfTurn {
                        note("hook of the hook")
                        continuation.resume()
                    }
                    loop.schedule(at: loop.now) { note("timer of the hook") }
                    loop.execute { note("job of the hook") }
                }
                loop.schedule(at: loop.now) { note("timer") }
                loop.execute { note("job") }
            }
        }
        loop.stop()
        #expect(
            log.value == [
                "job 0", "timer 0", "hook 0", "job of the hook 1", "timer of the hook 1", "hook of the hook 1",
            ])
    }

    @Test func `a job that asks for itself again and again does not starve timers`() async throws {
        let loop = try EventLoop(name: "greedy")
        let isOver = Locked(false)
        @Sendable func again() {
            if !isOver.value { loop.execute { again() } }
        }
        try loop.start()
        await withCheckedContinuation { continuation in
            loop.execute {
                loop.schedule(at: loop.now + .milliseconds(1)) {
                    isOver.change { $0 = true }
                    continuation.resume()
                }
                again()
            }
        }
        loop.stop()
        #expect(loop.longestTurn >= .milliseconds(5))
    }

    @Test func `jobs after the end are dropped`() throws {
        let loop = try EventLoop(name: "over")
        try loop.start()
        loop.stop()
        loop.execute { Issue.record("ran on a loop that is over") }
        loop.stop()
    }

    @Test func `an actor that waits for the end of a loop does not block its own`() async throws {
        let (own, other) = (try EventLoop(name: "waiting"), try EventLoop(name: "ending"))
        try own.start()
        try other.start()
        let gate = try Gate()
        other.execute { gate.hold() }
        await gate.holds()
        await Resident(loop: own).end(other) { gate.open() }
        #expect(!gate.hasTimedOut)
        own.stop()
    }

    @Test(arguments: [0, 7] as [CInt])
    func `a loop lowers its priority as configured, and its maker keeps its own`(niceness: CInt) async throws {
        let loop = try EventLoop(name: "nice", niceness: niceness)
        let thread = CInt(PRIO_PROCESS.rawValue)
        let before = getpriority(thread, 0)
        try loop.start()
        let found = await withCheckedContinuation { answer in
            loop.execute { answer.resume(returning: getpriority(thread, 0)) }
        }
        #expect(found == max(before, niceness))
        #expect(getpriority(thread, 0) == before)
        loop.stop()
    }

    @Test func `a loop runs on a borrowed thread and is stopped by a job of its own`() throws {
        let loop = try EventLoop(name: "borrowed")
        let count = Locked(0)
        loop.execute {
            count.change { $0 += 1 }
            loop.stop()
        }
        loop.run()
        #expect(count.value == 1)
    }

    @Test func `the clock moves off the loop and is fixed within a turn`() async throws {
        let loop = try EventLoop(name: "clock")
        let before = loop.now
        while Instant.monotonic == before {}
        #expect(loop.now > before)
        try loop.start()
        let stands = await withCheckedContinuation { continuation in
            loop.execute {
                let first = loop.now
                let real = Instant.monotonic
                while Instant.monotonic == real {}
                continuation.resume(returning: loop.now == first)
            }
        }
        #expect(stands)
        loop.stop()
    }

    @Test func `system errors carry the call and the system's words`() {
        #expect(SystemError(call: "bind", errno: EADDRINUSE).description == "bind: address already in use")
        #expect(throws: SystemError(call: "open", errno: EBADF)) {
            try SystemError.check("open", close(-1))
        }
    }
}
