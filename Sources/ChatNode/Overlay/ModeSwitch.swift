package import Wire

/// Whether a node links with every peer (mesh) or with a few of them (overlay), with hysteresis (Protocol.md section 13).
package struct ModeSwitch: Sendable {
    package private(set) var isOverlay = false
    /// Nodes of the room that are known, this one not counted.
    package private(set) var known = 0
    /// The overlay has begun and ended before.
    package private(set) var hasEnded = false
    /// The time at which the mode changes if `known` stays beyond its bound.
    private var changesAt: Instant?
    /// The last count that was taken as news.
    private var reportedCount = 0

    package init() {}

    /// The next time at which the mode may change without another count; nil while `known` is within the bounds.
    package var nextDeadline: Instant? { changesAt }

    /// More nodes are known than a mesh has, so that further candidates wait for the overlay to begin.
    package var holdsNewcomers: Bool { !isOverlay && known > Limits.meshNodes }

    /// Takes the present count, or the passing of time.
    ///
    /// - Returns: whether the mode has changed.
    package mutating func update(known: Int, now: Instant) -> Bool {
        self.known = known
        let isBeyond = isOverlay ? known <= Limits.quietNodes : known > Limits.meshNodes
        guard isBeyond else {
            changesAt = nil
            return false
        }
        let pause = isOverlay ? Limits.quietTime : known >= Limits.crowdedNodes ? .zero : Limits.crowdTime
        let due = min(changesAt ?? now + pause, now + pause)
        guard due <= now else {
            changesAt = due
            return false
        }
        changesAt = nil
        if isOverlay { hasEnded = true }
        isOverlay.toggle()
        return true
    }

    /// The news for discovery: each change of mode, and in overlay mode a count that is an eighth off from the last one taken.
    mutating func crowdToReport(isChanged: Bool) -> Crowd? {
        guard isChanged || (isOverlay && abs(known - reportedCount) > reportedCount / 8) else { return nil }
        reportedCount = known
        return Crowd(isOverlay: isOverlay, known: known)
    }
}

extension Limits {
    /// Known nodes, the own one not counted, up to which each links with each. With more, each message crosses more
    /// links; with fewer, small rooms lose the speed and the certainty of a mesh.
    package static let meshNodes = 32
    /// How long more than that are known until the overlay begins. A longer one lets a room that grows quickly open too
    /// many links; a shorter one turns a room that is near the bound to and fro.
    static let crowdTime = Duration.seconds(2)
    /// Known nodes with which the overlay begins at once. With more, a newcomer dials a large room as a mesh; with
    /// fewer, `crowdTime` has no use.
    static let crowdedNodes = 48
    /// Known nodes with which the overlay ends. Near `meshNodes`, a room at the bound changes its mode often; far
    /// below, a room that became small keeps the slower overlay.
    static let quietNodes = 24
    /// How long so few are known until the overlay ends. A longer one keeps the overlay for longer than it is needed; a
    /// shorter one ends it while part of a crowd is away for a moment.
    static let quietTime = Duration.seconds(60)
}
