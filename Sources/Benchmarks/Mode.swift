/// What there is to measure.
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
