internal import Noise
internal import Wire

/// How a simulated network carries what it is given.
package struct Conditions: Hashable, Sendable {
    /// One way, drawn for each segment.
    package var latency: ClosedRange<Duration>
    /// The share of segments that are lost and have to be sent again, from 0 to 0.9.
    package var loss: Double

    package init(latency: ClosedRange<Duration>, loss: Double = 0) {
        precondition((0...0.9).contains(loss), "a loss of \(loss)")
        self.latency = latency
        self.loss = loss
    }

    /// TCP's first retransmission timeout; it doubles each time (RFC 6298, Linux' minimum).
    static let retransmission = Duration.milliseconds(200)
    /// The timeout before a connection is up, and between two queries of mDNS (RFC 6762 section 5.2).
    static let firstRetransmission = Duration.seconds(1)
    static let longestRetransmission = Duration.seconds(60)
    /// The payload of one TCP segment on Ethernet, in bytes.
    static let segmentSize = 1_448

    func drawLatency(using randomness: inout Randomness) -> Duration {
        .random(in: latency, using: &randomness)
    }

    /// How long `bytes` written at once take until the last of them is there, as TCP shows loss: by waiting.
    func drawDelay(of bytes: Int, using randomness: inout Randomness) -> Duration {
        let latency = drawLatency(using: &randomness)
        guard loss > 0 else { return latency }
        let segments = max(1, (bytes + Conditions.segmentSize - 1) / Conditions.segmentSize)
        let waits = (0..<segments).map { _ in drawWait(first: Conditions.retransmission, using: &randomness) }
        return latency + (waits.max() ?? .zero)
    }

    /// How long loss holds up a packet that is repeated until it is answered: a connection's first, or a question of mDNS.
    func drawFirstWait(using randomness: inout Randomness) -> Duration {
        drawWait(first: Conditions.firstRetransmission, using: &randomness)
    }

    private func drawWait(first: Duration, using randomness: inout Randomness) -> Duration {
        var wait = Duration.zero
        var pause = first
        while loss > 0, Double.random(in: 0..<1, using: &randomness) < loss {
            wait += pause
            pause = min(pause * 2, Conditions.longestRetransmission)
        }
        return wait
    }
}
