import Wire

/// Whether a node insists on the links that it dials (Protocol.md section 13).
///
/// Where attackers have filled the places of all nodes, the honest candidates refuse, and those that accept are attackers. Then a
/// node insists with each candidate alike for a while. In a room that grows quickly a part of the nodes is full too: therefore
/// several refusals count only if they are more than the acceptances. A node that is overrun itself needs none.
struct Insistence: Sendable {
    private var refusals = 0
    private var acceptances = 0
    /// The first of them.
    private var since = Instant(nanoseconds: 0)
    private var until: Instant?
    /// The node was overrun since it began to insist. Kept so long, because attackers that come and go would else change its choice
    /// each time.
    private(set) var wasOverrun = false

    /// As of the last `begins`.
    var holds: Bool { until != nil }

    /// A drawn candidate has refused a link.
    mutating func refused(now: Instant) {
        look(now)
        refusals += 1
    }

    /// A drawn candidate has accepted a link.
    mutating func accepted(now: Instant) {
        look(now)
        acceptances += 1
    }

    /// There is another reason to insist.
    mutating func begin(now: Instant) { until = now + Limits.insistenceTime }

    /// - Parameter isOverrun: whether far more links were opened by insistence than a room without attackers has.
    /// - Returns: true where the node insists from now on.
    mutating func begins(isOverrun: Bool, now: Instant) -> Bool {
        look(now)
        if let end = until, end <= now { (until, wasOverrun) = (nil, false) }
        let held = holds
        if isOverrun { wasOverrun = true }
        if isOverrun || refusals >= Limits.busyTries && refusals > acceptances { begin(now: now) }
        return holds && !held
    }

    private mutating func look(_ now: Instant) {
        if now - since > Limits.busyRest { (refusals, acceptances, since) = (0, 0, now) }
    }
}

extension Limits {
    /// Refusals within `busyRest` after which a node insists, if they are more than the acceptances. With more, a node
    /// among attackers stays without honest links for longer; with fewer, newcomers overfill a room that grows.
    static let busyTries = 4
    /// For how long a node insists. A longer one overfills honest nodes; a shorter one ends before the honest
    /// candidates were tried again.
    static let insistenceTime = Duration.seconds(600)
    /// How long a peer that refused is not dialled, and for how long refusals count together. A longer one keeps a node
    /// from places that became free; a shorter one dials full peers in vain.
    static let busyRest = Duration.seconds(60)
}
