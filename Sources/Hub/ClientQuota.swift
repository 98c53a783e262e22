package import Wire

/// The clients of a server. Those that have shown the token stay; strangers have a number and a deadline of their own, and
/// the one that came first gives way to a newer one, so that no stranger keeps a holder of the token out.
package struct ClientQuota<Client: Hashable & Sendable>: Sendable {
    package static var mostHolders: Int { 64 }
    package static var mostStrangers: Int { 32 }
    /// A stranger has this time before it goes for the lack of descriptors: its request may not be read yet.
    package static var grace: Duration { .milliseconds(100) }

    private struct Stranger {
        let client: Client
        let deadline: Instant
    }

    private let patience: Duration
    private let mostHolders: Int
    private var holders: Set<Client> = []
    /// In the order in which they came, which is that of their deadlines.
    private var strangers: [Stranger] = []

    /// - Parameter patience: the time in which a client has to show the token.
    package init(patience: Duration, mostHolders: Int = Self.mostHolders) {
        (self.patience, self.mostHolders) = (patience, mostHolders)
    }

    /// The time at which `removeOverdue` has something to do; nil without strangers.
    package var deadline: Instant? { strangers.first?.deadline }

    /// A client has come; it is a stranger.
    ///
    /// - Returns: the stranger that has to go for it.
    package mutating func arrive(_ client: Client, at now: Instant) -> Client? {
        let oldest = strangers.count < Self.mostStrangers ? nil : strangers.removeFirst().client
        strangers.append(Stranger(client: client, deadline: now + patience))
        return oldest
    }

    /// A client has shown the token, perhaps again.
    ///
    /// - Returns: false if no more holders may come; the client stays a stranger.
    package mutating func admit(_ client: Client) -> Bool {
        if holders.contains(client) { return true }
        guard holders.count < mostHolders else { return false }
        strangers.removeAll { $0.client == client }
        holders.insert(client)
        return true
    }

    package mutating func leave(_ client: Client) {
        if holders.remove(client) == nil { strangers.removeAll { $0.client == client } }
    }

    /// Descriptors are lacking.
    ///
    /// - Parameter grace: the time that a stranger has before it goes.
    /// - Returns: the stranger that came first, which has to go; nil if there is none but new ones.
    package mutating func removeOldestStranger(at now: Instant, behind grace: Duration = Self.grace) -> Client? {
        guard let first = strangers.first, first.deadline + grace <= now + patience else { return nil }
        return strangers.removeFirst().client
    }

    /// - Returns: the strangers whose time is over, which have to go.
    package mutating func removeOverdue(at now: Instant) -> [Client] {
        let count = strangers.prefix { $0.deadline <= now }.count
        defer { strangers.removeFirst(count) }
        return strangers.prefix(count).map(\.client)
    }
}
