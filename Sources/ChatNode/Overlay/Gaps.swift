package import Wire

/// The peers of the room that this node has no link with, and whether payloads are passed on in a small room because of them
/// (Protocol.md section 13).
package struct Gaps: Sendable {
    private struct Sighting: Sendable {
        let first: Instant
        var last: Instant
    }

    /// By peer: when neighbours showed that it is in the room.
    private var sightings: [PeerID: Sighting] = [:]
    /// This node lacks a link itself.
    package private(set) var isLacking = false
    /// Payloads are passed on.
    package private(set) var isRelaying = false

    package init() {}

    package var count: Int { sightings.count }

    /// A neighbour showed that a peer without a link is in the room.
    package mutating func record(_ peer: PeerID, now: Instant) {
        if sightings[peer] != nil {
            sightings[peer]?.last = now
        } else if sightings.count < Limits.gapPeers {
            sightings[peer] = Sighting(first: now, last: now)
        }
    }

    /// A link with the peer opened or ended, or the peer left: what neighbours showed before does not matter any more.
    ///
    /// - Returns: whether it was a gap, or about to be one.
    @discardableResult
    package mutating func close(_ peer: PeerID) -> Bool { sightings.removeValue(forKey: peer) != nil }

    /// When `update` may have another result by the passing of time alone; nil for never.
    package var nextDeadline: Instant? {
        let first = isLacking ? nil : sightings.values.map { $0.first + Limits.gapTime }.min()
        return Instant.earlier(first, sightings.values.map { $0.last + Limits.gapMemory }.min())
    }

    /// Takes the passing of time.
    ///
    /// - Parameters:
    ///   - witnesses: the sources of neighbours that lack links.
    ///   - isCrowd: whether the room is too large for links between all, so that gaps are the rule.
    /// - Returns: whether `isLacking` or `isRelaying` changed.
    package mutating func update(witnesses: Int, isCrowd: Bool, now: Instant) -> Bool {
        if !sightings.isEmpty {
            sightings = isCrowd ? [:] : sightings.filter { now < $0.value.last + Limits.gapMemory }
        }
        let before = (isLacking, isRelaying)
        isLacking = sightings.values.contains { $0.first + Limits.gapTime <= now }
        isRelaying = !isCrowd && (isLacking || witnesses >= Limits.gapWitnesses)
        return before != (isLacking, isRelaying)
    }
}

extension Limits {
    /// After which a peer that neighbours show and that no link leads to is a gap. A longer one leaves the peer's
    /// messages unheard for longer; with a shorter one, links that are just being opened count as gaps.
    static let gapTime = Duration.seconds(2)
    /// How long a gap lasts after neighbours showed it last. A longer one passes payloads on for peers that left; with
    /// a shorter one, a quiet peer behind a gap is forgotten between two presences.
    static let gapMemory = Duration.seconds(75)
    /// Gaps that a node keeps. More cost memory that liars fill; a small room has fewer nodes than this.
    static let gapPeers = 64
    /// Sources of neighbours with gaps from which on a node between them passes payloads on. With more, a room with one
    /// gap stays cut; with fewer, one liar turns relaying on.
    static let gapWitnesses = 2
}
