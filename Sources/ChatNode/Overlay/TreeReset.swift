import Wire

/// Decides which payloads go over all links, so that their tree becomes the shortest one (Protocol.md section 13).
struct TreeReset: Sendable {
    /// Payloads of each tree since the last wide one; nil before the first.
    private var carried = [Int?](repeating: nil, count: Trees.count)
    private var acceptedAt = [Instant?](repeating: nil, count: Trees.count)

    /// A payload of a tree came or was said.
    mutating func count(_ tree: Int) { carried[tree] = min((carried[tree] ?? 0) + 1, Limits.wideAfter) }

    /// True if the own payload that is said now is to go wide.
    func isDue(_ tree: Int) -> Bool { carried[tree].map { $0 >= Limits.wideAfter } ?? true }

    /// Notes a payload that its author marked as wide.
    ///
    /// - Returns: the trees that it makes anew: its own, and each that has carried nothing, so that a new room needs one wide
    ///   payload and not eight. 0 if the last wide one was too recent: then it is a payload as any other.
    mutating func accept(_ tree: Int, now: Instant) -> TreeMask {
        let isOld = acceptedAt[tree].map { now >= $0 + Limits.widePause } ?? true
        guard isOld || carried[tree] ?? Limits.wideAccepted >= Limits.wideAccepted else { return 0 }
        var mask: TreeMask = 0
        for other in carried.indices where other == tree || carried[other] == nil {
            carried[other] = 0
            acceptedAt[other] = now
            mask |= Trees.bit(other)
        }
        return mask
    }
}

extension Limits {
    /// Payloads of a tree after which the next one is wide. With more, a tree that grew badly stays for longer; with
    /// fewer, more payloads go over all links.
    static let wideAfter = 200
    /// Payloads of a tree after which a wide one is accepted: half of `wideAfter`, since some are lost or come late.
    /// With fewer, a hostile author floods all links; with more, honest wide payloads are ignored.
    static let wideAccepted = 100
    /// Or the time since the last. A shorter one lets hostile authors flood all links; with a longer one, the trees of
    /// a quiet room stay as they are.
    static let widePause = Duration.seconds(60)
}
