package import Wire

/// Dials of endpoints that peers told, until their outcome may show (Protocol.md section 8).
///
/// A port that refuses ends a dial at once, and one of another service after seconds. A member that named both could see
/// from the next dial which port is open, so each failed dial counts as under way for as long as the slowest.
package struct ToldDials: Sendable {
    private var ends: [ConnectionID: Instant] = [:]

    package init() {}

    /// When the outcome of a dial that begins now may show.
    package static func end(from now: Instant, using generator: inout some RandomNumberGenerator) -> Instant {
        now + Limits.toldDialTime + .random(in: .zero...Limits.toldDialJitter, using: &generator)
    }

    /// A told endpoint is dialled; the caller answers with `finish`.
    package mutating func began(
        _ connection: ConnectionID, now: Instant, using generator: inout some RandomNumberGenerator
    ) {
        ends[connection] = ToldDials.end(from: now, using: &generator)
    }

    /// A dial has led to a link, or has failed.
    ///
    /// - Returns: when a failure may show; nil for the dial of an endpoint that no peer told.
    package mutating func finish(_ connection: ConnectionID) -> Instant? { ends.removeValue(forKey: connection) }
}

extension Limits {
    /// From the beginning of a dial to an address that a peer named until its failure may show: as long as the slowest
    /// dial. With a shorter one, the moment of a failure tells the peer whether a port is open; a longer one delays the
    /// next try.
    static let toldDialTime = Duration.seconds(10)
    /// A random time on top, at most. A longer one delays the next try; with a shorter one, the moment tells more.
    static let toldDialJitter = Duration.seconds(2)
}
