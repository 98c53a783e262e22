import Wire

/// Growing, jittered pauses between attempts, for ever: 0.5 s doubling to 60 s, each half fixed and half random.
package struct Backoff: Sendable {
    package private(set) var failures = 0

    package init() {}

    package static let first = Duration.milliseconds(500)
    package static let longest = Duration.seconds(60)

    package mutating func reset() {
        failures = 0
    }

    /// The pause after one more failure.
    package mutating func next(using generator: inout some RandomNumberGenerator) -> Duration {
        let doublings = min(failures, 7)
        failures += 1
        let ceiling = min(Backoff.first.nanoseconds << doublings, Backoff.longest.nanoseconds)
        return .nanoseconds(ceiling / 2 + Int64.random(in: 0...ceiling / 2, using: &generator))
    }
}
