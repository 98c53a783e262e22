import Chat
import Wire

/// Decides which arrivals, departures and renames get a line: three arrivals and departures in 10 s, and the first rename
/// of each peer; then one line for all others of these 10 s.
struct JoinFolder: Sendable {
    static let window = Duration.seconds(10)
    static let single = 3

    /// The name that a line told last, and the present one.
    struct Rename: Sendable {
        let from: PeerName
        let to: PeerName
    }

    private var start: Instant?
    private var shown = 0
    private(set) var came = 0
    private(set) var left = 0
    /// The peers that were renamed in the window, each with the name that its line told, in the order of the lines.
    private var told: [PeerName] = []
    private var later: [PeerID: PeerName] = [:]

    private var isEmpty: Bool { came + left == 0 && later.isEmpty }

    /// When `take` has something; nil for never.
    var deadline: Instant? { isEmpty ? nil : start.map { $0 + JoinFolder.window } }

    /// Notes an arrival or a departure; true if it gets a line of its own.
    mutating func record(isArrival: Bool, at now: Instant) -> Bool {
        begin(at: now)
        if shown < JoinFolder.single {
            shown += 1
            return true
        }
        if isArrival { came += 1 } else { left += 1 }
        return false
    }

    /// Notes a rename; true if it gets a line of its own.
    ///
    /// - Parameter before: the name that the peer had.
    mutating func recordRename(of who: PeerName, from before: PeerName, at now: Instant) -> Bool {
        begin(at: now)
        if told.contains(where: { $0.key == who.key }) {
            later[who.key] = who
            return false
        }
        guard told.count < Limits.knownPeers else { return false }
        guard told.count < JoinFolder.single else {
            told.append(before)
            later[who.key] = who
            return false
        }
        told.append(who)
        return true
    }

    /// The counts and names to tell; nil while the window lasts. A peer that has the name of its line again is not among the renames.
    mutating func take(at now: Instant) -> (came: Int, left: Int, renames: [Rename])? {
        guard let deadline, deadline <= now else { return nil }
        defer { self = JoinFolder() }
        let renames = told.compactMap { from in
            later[from.key].flatMap { $0.nickname == from.nickname ? nil : Rename(from: from, to: $0) }
        }
        return (came, left, renames)
    }

    private mutating func begin(at now: Instant) {
        guard start.map({ $0 + JoinFolder.window <= now }) ?? true, isEmpty else { return }
        self = JoinFolder()
        start = now
    }
}
