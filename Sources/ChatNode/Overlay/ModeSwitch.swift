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
