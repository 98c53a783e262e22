import Wire

/// Decides which reactions of others that no row shows get a line: three in 10 s, then one line for all others of these 10 s.
struct ReactionFolder: Sendable {
    static let window = Duration.seconds(10)
    static let single = 3

    private var start: Instant?
    private var shown = 0
    private var folded = 0

    /// When `take` has something; nil for never.
    var deadline: Instant? { folded == 0 ? nil : start.map { $0 + ReactionFolder.window } }

    /// Records a reaction; true if it gets a line of its own.
    ///
    /// - Parameter isGiven: false for one that was taken back, which is not counted.
    mutating func record(isGiven: Bool, at now: Instant) -> Bool {
        if folded == 0, start.map({ $0 + ReactionFolder.window <= now }) ?? true { (start, shown) = (now, 0) }
        guard shown == ReactionFolder.single else {
            shown += 1
            return true
        }
        if isGiven { folded += 1 }
        return false
    }

    /// The number of the folded reactions; nil while the window lasts.
    mutating func take(at now: Instant) -> Int? {
        guard let deadline, deadline <= now else { return nil }
        defer { self = ReactionFolder() }
        return folded
    }
}
