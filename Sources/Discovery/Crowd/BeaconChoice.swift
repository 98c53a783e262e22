import ChatNode
import Wire

/// Whether this node is one of the few that are listed under the room's own name in a crowd (Protocol.md section 10).
///
/// Each node draws a private lot and is a beacon while the lot is below the wanted share of the room. A new lot each hour
/// leaves no attacker time to gain from knowing the beacons.
struct BeaconChoice {
    /// A beacon stays one up to this multiple of the share, so that a size that varies changes no records.
    static let hysteresis = 1.25
    /// Random share of the term, so that the nodes of a room that began together do not draw together.
    static let spread = 0.1

    private(set) var isBeacon: Bool
    private(set) var nextDraw: Instant
    private var lot: Double
    private var known: Int

    init(known: Int, now: Instant, using generator: inout some RandomNumberGenerator) {
        self.known = known
        lot = .random(in: 0..<1, using: &generator)
        nextDraw = Self.drawTime(after: now, using: &generator)
        isBeacon = lot < Self.share(known)
    }

    /// The room has another size.
    mutating func roomChanged(known: Int) {
        self.known = known
        isBeacon = lot < Self.share(known) * (isBeacon ? Self.hysteresis : 1)
    }

    /// Draws anew if the term is over.
    mutating func due(now: Instant, using generator: inout some RandomNumberGenerator) {
        guard nextDraw <= now else { return }
        self = BeaconChoice(known: known, now: now, using: &generator)
    }

    private static func share(_ known: Int) -> Double { Double(Limits.beacons) / Double(max(1, known)) }

    private static func drawTime(after now: Instant, using generator: inout some RandomNumberGenerator) -> Instant {
        now + Limits.beaconTerm * Double.random(in: 1 - spread...1 + spread, using: &generator)
    }
}

extension Limits {
    /// After which beacons and buckets are drawn anew. A longer one lets a node that got a favourable draw keep it; a
    /// shorter one costs announcements.
    static let beaconTerm = Duration.seconds(3_600)
}
