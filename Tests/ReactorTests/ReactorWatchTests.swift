import Glibc
import Reactor
import TestSupport
import Testing
import Wire

/// Two ends; what is put into the one makes the other readable.
private final class Pipe: Sendable {
    private let output: Descriptor
    private let input: Descriptor

    init() throws {
        var ends: [CInt] = [0, 0]
        try unsafe SystemError.check("pipe", pipe(&ends))
        output = Descriptor(owning: ends[0])
        input = Descriptor(owning: ends[1])
    }

    var reading: CInt { output.number }
    var writing: CInt { input.number }

    func put() {
        var byte: UInt8 = 1
        unsafe write(input.number, &byte, 1)
    }

    func take() {
        var byte: UInt8 = 0
        unsafe read(output.number, &byte, 1)
    }
}

/// Runs a closure when its descriptor is ready.
private final class Reacting: DescriptorHandler {
    let reaction: (CInt, Readiness) -> Void
    let ended: () -> Void

    init(ended: @escaping () -> Void = {}, _ reaction: @escaping (CInt, Readiness) -> Void) {
        self.reaction = reaction
        self.ended = ended
    }

    deinit { ended() }

    func ready(_ descriptor: CInt, _ events: Readiness) { reaction(descriptor, events) }
}

@Suite(.timeLimit(.minutes(5))) struct ReactorWatchTests {
    /// Runs `body` as the first job of a loop on this thread, until something stops it.
    private func onLoop(_ body: @escaping @Sendable (EventLoop) throws -> Void) throws {
        let loop = try EventLoop(name: "watch")
        loop.execute {
            #expect(throws: Never.self) { try body(loop) }
        }
        loop.run()
    }

    @Test(arguments: [true, false])
    func `an event does not reach the next owner of its descriptor number`(isUsedAgain: Bool) throws {
        try onLoop { loop in
            let heard = Locked<[String]>([])
            let pipes = try (0..<3).map { _ in try Pipe() }
            let reused = Reacting { _, _ in heard.change { $0.append("reused") } }
            // Both are ready in one batch. The handler that runs first takes the other's number for a pipe that is silent.
            for (own, other) in [(pipes[0], pipes[1]), (pipes[1], pipes[0])] {
                let handler = Reacting { _, _ in
                    heard.change { $0.append("told") }
                    loop.unwatch(own.reading)
                    guard isUsedAgain else { return }
                    loop.unwatch(other.reading)
                    dup2(pipes[2].reading, other.reading)
                    try? loop.watch(other.reading, .readable, reused)
                }
                try loop.watch(own.reading, .readable, handler)
                own.put()
            }
            // Events come before timers, and these were there before the timer was set.
            loop.schedule(at: loop.now + .milliseconds(2)) {
                #expect(heard.value == (isUsedAgain ? ["told"] : ["told", "told"]))
                pipes[2].put()
                loop.schedule(at: loop.now + .milliseconds(2)) {
                    #expect(heard.value.contains("reused") == isUsedAgain)
                    withExtendedLifetime(pipes) {}
                    loop.stop()
                }
            }
        }
    }

    @Test func `a descriptor is reported as long as it is ready for a watched event`() throws {
        try onLoop { loop in
            let pipe = try Pipe()
            var told: [Readiness] = []
            let handler = Reacting { descriptor, events in
                told.append(events)
                switch told.count {
                // Not read: told again.
                case 1, 2: break
                case 3:
                    pipe.take()
                    loop.change(descriptor, to: [])
                    pipe.put()
                    loop.schedule(at: loop.now + .milliseconds(2)) { loop.change(descriptor, to: .readable) }
                default: loop.stop()
                }
            }
            pipe.put()
            try loop.watch(pipe.reading, .readable, handler)
        }
    }

    @Test func `writability and hang-ups are reported`() throws {
        try onLoop { loop in
            var pipe: Pipe? = try Pipe()
            let writing = pipe?.writing ?? -1
            let reading = dup(pipe?.reading ?? -1)
            try loop.watch(
                writing, [.readable, .writable],
                Reacting { _, events in
                    #expect(events == .writable)
                    loop.unwatch(writing)
                    pipe = nil
                })
            try loop.watch(
                reading, [],
                Reacting { _, events in
                    #expect(events == .hangUp)
                    loop.unwatch(reading)
                    close(reading)
                    loop.stop()
                })
        }
    }

    @Test func `a handler is let go of with its watch, and by a loop that ends`() throws {
        let ended = Locked<[String]>([])
        try onLoop { loop in
            let pipe = try Pipe()
            let names = [pipe.reading: "unwatched", pipe.writing: "left"]
            for (descriptor, name) in names {
                let handler = Reacting(ended: { ended.change { $0.append(name) } }) { _, _ in }
                try loop.watch(descriptor, [], handler)
            }
            loop.unwatch(pipe.reading)
            #expect(ended.value == ["unwatched"])
            // None of these is watched: nothing happens.
            loop.unwatch(pipe.reading)
            loop.unwatch(-1)
            loop.change(9_999, to: .readable)
            loop.stop()
        }
        #expect(ended.value == ["unwatched", "left"])
    }

    @Test func `a watched descriptor that is watched again has the new handler alone`() throws {
        try onLoop { loop in
            let pipe = try Pipe()
            pipe.put()
            try loop.watch(pipe.reading, .readable, Reacting { _, _ in Issue.record("the old handler was told") })
            let second = Reacting { _, _ in
                pipe.take()
                loop.stop()
            }
            try loop.watch(pipe.reading, .readable, second)
        }
    }

    @Test func `a descriptor that epoll refuses is an error, and is not watched`() async {
        await #expect(processExitsWith: .success) {
            let loop = try EventLoop(name: "watch")
            let file = unsafe open("/proc/self/exe", O_RDONLY | O_CLOEXEC)
            loop.execute {
                #expect(throws: SystemError(call: "epoll_ctl", errno: EPERM)) {
                    try loop.watch(file, .readable, Reacting { _, _ in })
                }
                loop.stop()
            }
            loop.run()
        }
    }

    @Test func `calls that belong to the loop trap on other threads`() async {
        await #expect(processExitsWith: .failure) {
            try EventLoop(name: "elsewhere").unwatch(0)
        }
    }
}
