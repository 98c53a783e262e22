import Reactor
import Wire

/// The event loop: jobs, and the way from one thread to another and back.
enum LoopMeasurement {
    private static let count = 2_000

    static func run(_ stopwatch: inout Stopwatch) {
        stopwatch.time("job on the same loop", count: count, prepare: { loop("measured") }) { loop in
            loop.execute { chain(on: loop, left: count) }
            loop.run()
        }
        let other = loop("other")
        do throws(SystemError) { try other.start() } catch { preconditionFailure("\(error)") }
        stopwatch.time("to another loop and back", count: count, prepare: { loop("measured") }) { loop in
            loop.execute { bounce(from: loop, to: other, left: count) }
            loop.run()
        }
        other.stop()
    }

    private static func loop(_ name: String) -> EventLoop {
        do throws(SystemError) { return try EventLoop(name: name) } catch { preconditionFailure("\(error)") }
    }

    @Sendable private static func chain(on loop: EventLoop, left: Int) {
        guard left > 0 else { return loop.stop() }
        loop.execute { chain(on: loop, left: left - 1) }
    }

    @Sendable private static func bounce(from loop: EventLoop, to other: EventLoop, left: Int) {
        guard left > 0 else { return loop.stop() }
        other.execute { loop.execute { bounce(from: loop, to: other, left: left - 1) } }
    }
}
