internal import Noise
internal import Wire

/// How a simulated network carries what it is given.
package struct Conditions: Hashable, Sendable {
    /// One way, drawn for each segment.
    package var latency: ClosedRange<Duration>
    /// The share of segments that are lost and have to be sent again, from 0 to 0.9.
    package var loss: Double
    /// Each direction of a connection has a latency of its own, drawn once, instead of one for each segment.
    package var isAsymmetric: Bool
    /// Lost segments are sent again once later ones are acknowledged (RFC 2018, RFC 8985), not only after a timeout.
    package var hasSACK: Bool

    package init(
        latency: ClosedRange<Duration>, loss: Double = 0, isAsymmetric: Bool = false, hasSACK: Bool = false
    ) {
        precondition((0...0.9).contains(loss), "a loss of \(loss)")
        self.latency = latency
        self.loss = loss
        self.isAsymmetric = isAsymmetric
        self.hasSACK = hasSACK
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

    /// The latency that a direction of a connection keeps; nil where each segment has one of its own.
    func drawKeptLatency(using randomness: inout Randomness) -> Duration? {
        isAsymmetric ? drawLatency(using: &randomness) : nil
    }

    /// How long loss holds up `bytes` written at once, as TCP shows it: by waiting.
    ///
    /// - Parameter latency: one way, of the connection.
    func drawWait(of bytes: Int, latency: Duration, using randomness: inout Randomness) -> Duration {
        guard loss > 0 else { return .zero }
        let segments = max(1, (bytes + Conditions.segmentSize - 1) / Conditions.segmentSize)
        let waits = (0..<segments).map { _ in drawWait(first: timeout(latency), using: &randomness) }
        guard hasSACK, let arrived = waits.lastIndex(of: .zero), waits[..<arrived].contains(where: { $0 > .zero })
        else { return waits.max() ?? .zero }
        let recovery = drawRecovery(latency: latency, using: &randomness)
        return max(recovery, waits[arrived...].max() ?? .zero)
    }

    /// From the arrival of a segment behind a lost one until the lost one is there: its acknowledgement goes back, the sender waits
    /// a quarter of a round trip for segments that were only reordered, and sends the lost one again.
    func drawRecovery(latency: Duration, using randomness: inout Randomness) -> Duration {
        latency * 5 / 2 + drawWait(first: timeout(latency), using: &randomness)
    }

    /// Linux adds the round trip to the least timeout.
    private func timeout(_ latency: Duration) -> Duration {
        hasSACK ? Conditions.retransmission + latency * 2 : Conditions.retransmission
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
