import Reactor
import Wire

/// Times operations again and again.
struct Stopwatch {
    /// The shortest timed run, so that reading the clock does not count.
    private static let shortestSample = Duration.milliseconds(1)

    let mode: Mode
    /// For each operation.
    let samples: Int
    private(set) var figures: [Figure] = []

    init(_ mode: Mode, samples: Int) {
        self.mode = mode
        self.samples = samples
    }

    /// Times an operation that can be done as often as one likes.
    mutating func time(_ operation: String, _ body: () -> Void) {
        var count = 1
        while Stopwatch.duration(of: { for _ in 0..<count { body() } }) < Stopwatch.shortestSample { count *= 2 }
        time(operation, count: count, prepare: {}, run: { for _ in 0..<count { body() } })
    }

    /// Times `count` operations that need something new each time, which `prepare` makes outside of the measured time.
    mutating func time<Start: ~Copyable>(
        _ operation: String, count: Int, prepare: () -> Start, run: (consuming Start) -> Void
    ) {
        var times: [Double] = []
        for sample in 0...samples {
            let start = prepare()
            let duration = Stopwatch.duration(running: run, from: start)
            // The first only warms the caches.
            if sample > 0 { times.append(Double(duration.nanoseconds) / Double(count)) }
        }
        times.sort()
        guard let least = times.first else { return }
        figures.append(
            Figure(
                mode: mode, operation: operation, median: times[times.count / 2], least: least, samples: times.count))
    }

    private static func duration(of body: () -> Void) -> Duration {
        let began = Instant.monotonic
        body()
        return Instant.monotonic - began
    }

    private static func duration<Start: ~Copyable>(
        running body: (consuming Start) -> Void, from start: consuming Start
    ) -> Duration {
        let began = Instant.monotonic
        body(start)
        return Instant.monotonic - began
    }
}

/// Takes results, so that the compiler can not leave out what made them.
@inline(never)
func keep<Result: ~Copyable>(_ result: borrowing Result) {}

/// The measurements.
enum Mode: String, CaseIterable {
    case codec, session, handshake, ring, router, loop

    /// - Parameter samples: how often each operation is timed.
    func measure(samples: Int) -> [Figure] {
        var stopwatch = Stopwatch(self, samples: samples)
        switch self {
        case .codec: CodecMeasurement.run(&stopwatch)
        case .session: SessionMeasurement.run(&stopwatch)
        case .handshake: HandshakeMeasurement.run(&stopwatch)
        case .ring: RingMeasurement.run(&stopwatch)
        case .router: RouterMeasurement.run(&stopwatch)
        case .loop: LoopMeasurement.run(&stopwatch)
        }
        return stopwatch.figures
    }
}
