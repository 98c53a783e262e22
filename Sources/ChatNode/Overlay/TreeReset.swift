import Chat
import Noise
import Wire

/// Decides which payloads go over all links, so that their tree becomes the shortest one (Protocol.md section 13).
struct TreeReset: Sendable {
    /// A wide payload. Of several that are under way at once, the one that was said first makes the trees: it is nearly always the first at
    /// most nodes too.
    struct Wide: Comparable, Sendable {
        let time: Timestamp
        let id: UInt64

        init(_ payload: VerifiedPayload) { self.init(time: payload.payload.timestamp, id: payload.id.prefix) }

        init(time: Timestamp, id: UInt64) { (self.time, self.id) = (time, id) }

        /// True if the other was said before this one, and by so little that both may have been under way at once.
        func isBarelyAfter(_ other: Wide) -> Bool {
            other < self && other.time.distance(to: time) <= Limits.wideLeadMilliseconds
        }

        static func < (left: Wide, right: Wide) -> Bool { (left.time, left.id) < (right.time, right.id) }
    }

    /// The state of a tree.
    private struct Epoch: Sendable {
        /// Payloads since the last wide one; nil before the first.
        var carried: Int?
        /// When the first of all came that was not wide.
        var since: Instant?
        /// Links that this node got or lost since.
        var changes = 0
        /// The wide payload that made the tree, when the first of those that contend for it came, and when this one did.
        var made: (by: Wide, at: Instant, takenAt: Instant)?
        /// Others that made it within `Limits.wideContest`.
        var contests = 0

        var isFirst: Bool { carried == nil }

        func isInTransition(at now: Instant) -> Bool { made.map { now < $0.at + Limits.wideContest } ?? false }

        /// Whether a wide payload makes the tree anew.
        func accepts(_ wide: Wide, at now: Instant) -> Bool {
            guard let made else { return true }
            if isInTransition(at: now) { return made.by.isBarelyAfter(wide) && contests < Limits.wideContests }
            return now >= made.at + Limits.widePause || carried ?? Limits.wideAccepted >= Limits.wideAccepted
        }

        /// Whether a wide payload that is said now may make the tree anew: other nodes hear of it a moment later, and took the last one a
        /// moment later too.
        func isOld(at now: Instant) -> Bool {
            // A node that has taken none may have missed one: others take none sooner than this.
            guard let begin = made?.at ?? since else { return true }
            return now >= begin + Limits.wideAge || carried ?? 0 >= Limits.wideAfter
        }

        mutating func begin(_ wide: Wide, at now: Instant) {
            let isContest = isInTransition(at: now)
            contests = isContest ? contests + 1 : 0
            made = (wide, isContest ? made?.at ?? now : now, now)
            (carried, changes) = (0, 0)
        }
    }

    private var epochs = [Epoch](repeating: Epoch(), count: Trees.count)

    /// A payload of a tree came or was said.
    mutating func count(_ tree: Int, now: Instant) {
        if epochs[tree].isFirst { epochs[tree].since = now }
        epochs[tree].carried = min((epochs[tree].carried ?? 0) + 1, Limits.wideAfter)
    }

    /// This node got a link, or lost one.
    mutating func recordChange() {
        for tree in epochs.indices { epochs[tree].changes = min(epochs[tree].changes + 1, Limits.wideAfter) }
    }

    /// The trees that the own payload which is said now is to make anew, by going wide; 0 for none. It goes wide if its tree has carried
    /// nothing yet, for all of which that is so: a new room needs one wide payload and not eight. Or if the old trees, its own among
    /// them, have carried many payloads while the links changed. Then one in `Limits.wideShare` does, by its id, so that the authors
    /// who speak at that moment do not all begin.
    ///
    /// - Parameter links: of this node.
    func due(_ tree: Int, _ id: UInt64, links: Int, now: Instant) -> TreeMask {
        if epochs[tree].isFirst { return ~carrying }
        let isDrawn = id % Limits.wideShare == 0
        guard isDrawn, epochs[tree].changes * Limits.wideChanges >= links, epochs[tree].isOld(at: now) else { return 0 }
        let old = epochs.indices.filter { epochs[$0].isOld(at: now) }
        guard old.reduce(0, { $0 + (epochs[$1].carried ?? 0) }) >= Limits.wideTotal else { return 0 }
        return old.reduce(0) { $0 | Trees.bit($1) }
    }

    /// A wide payload made this tree a moment ago: its links are not settled yet.
    func isInTransition(_ tree: Int, now: Instant) -> Bool { epochs[tree].isInTransition(at: now) }

    /// The neighbours that got the last wide payload of a tree may still graft it.
    ///
    /// - Parameter patience: four median round trips.
    func isOffered(_ tree: Int, now: Instant, patience: Duration) -> Bool {
        epochs[tree].made.map { now < $0.takenAt + max(patience, Limits.offerTime) } ?? false
    }

    /// The trees that have carried payloads.
    var carrying: TreeMask { Trees.mask { !epochs[$0].isFirst } }

    /// The trees that a wide payload made.
    func mask(of id: UInt64) -> TreeMask {
        Trees.mask { epochs[$0].made?.by.id == id }
    }

    /// Records a payload that its author marked as wide. Each tree goes to the first said of those that name it, in whatever order they come.
    ///
    /// - Parameter mark: the trees that it is to make.
    /// - Returns: those that it makes anew here. 0 if the last wide ones were too recent: then it is a payload as any other.
    mutating func accept(_ mark: TreeMask, _ wide: Wide, now: Instant) -> TreeMask {
        var made: TreeMask = 0
        for tree in epochs.indices where mark & Trees.bit(tree) != 0 && epochs[tree].accepts(wide, at: now) {
            epochs[tree].begin(wide, at: now)
            made |= Trees.bit(tree)
        }
        return made
    }
}

extension Limits {
    /// Payloads of a tree at which it is old before its time. With more, a tree that grew badly in a busy room stays for longer; with
    /// fewer, more payloads go over all links.
    static let wideAfter = 400
    /// Payloads that the old trees have carried together, from which on one is wide. With more, a room that says little keeps trees that
    /// have grown long; with fewer, more payloads go over all links: one of 200 costs a twentieth of the traffic.
    static let wideTotal = 200
    /// The part of its links that an author must have got or lost since the last wide payload: one in so many. With more, small
    /// changes make trees anew; with fewer, a tree of many drawn parents stays long.
    static let wideChanges = 4
    /// The payloads after that of which one is wide. With more, trees are made anew later; with fewer, several authors of a busy room
    /// make them anew at once, each with a flood over all links.
    static let wideShare: UInt64 = 16
    /// How long the wide payloads of several authors contend for a tree, and its repeated payloads prune nothing. A longer one costs
    /// copies; a shorter one, below the time that a payload takes through the room, makes a tree of pieces.
    static let wideContest = Duration.seconds(1)
    /// The least time for which the payloads that follow a wide one go to the neighbours that have not answered it. A longer one sends more
    /// to neighbours that are silent; with a shorter one, a neighbour that answers late asks for what it missed meanwhile.
    static let offerTime = Duration.seconds(0.25)
    /// How much earlier than another a wide payload may claim to be said and take its place, in milliseconds. With a larger one, a member makes itself
    /// the root of all trees by a false time; with a smaller one, clocks that differ leave a tree of pieces.
    static let wideLeadMilliseconds: UInt64 = 2_000
    /// Wide payloads that may take a tree over in that time. More let a hostile author flood all links with times in falling
    /// order; with fewer, a large room that begins to talk at once gets a tree of pieces.
    static let wideContests = 8
    /// Payloads of a tree after which a wide one is accepted: half of `wideAfter`, since some are lost or come late.
    /// With fewer, a hostile author floods all links; with more, honest wide payloads are ignored.
    static let wideAccepted = 200
    /// Or the time since the last. A shorter one lets hostile authors flood all links; with a longer one, the trees of
    /// a quiet room stay as they are.
    static let widePause = Duration.seconds(30)
    /// The age of a tree from which its author makes it anew: above `widePause`, since others hear of wide payloads later. With a lower
    /// one, some nodes take it and others do not; with a higher one, trees of a quiet room are as the links were long ago.
    static let wideAge = Duration.seconds(45)
}
