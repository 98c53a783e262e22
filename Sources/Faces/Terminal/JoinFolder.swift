import Wire

/// Decides which arrivals and departures get a line: three in 10 s, and then one line for all others of these 10 s.
struct JoinFolder: Sendable {
    static let window = Duration.seconds(10)
    static let single = 3

    private var start: Instant?
    private var shown = 0
    private(set) var came = 0
    private(set) var left = 0

    /// When `take` has something; nil for never.
    var deadline: Instant? { came + left > 0 ? start.map { $0 + JoinFolder.window } : nil }

    /// Notes an arrival or a departure; true if it gets a line of its own.
    mutating func note(isArrival: Bool, at now: Instant) -> Bool {
        if start.map({ $0 + JoinFolder.window <= now }) ?? true, came + left == 0 { (start, shown) = (now, 0) }
        if shown < JoinFolder.single {
            shown += 1
            return true
        }
        if isArrival { came += 1 } else { left += 1 }
        return false
    }

    /// The arrivals and departures to tell in one line; nil while the window lasts.
    mutating func take(at now: Instant) -> (came: Int, left: Int)? {
        guard let deadline, deadline <= now else { return nil }
        defer { (start, shown, came, left) = (nil, 0, 0, 0) }
        return (came, left)
    }
}
