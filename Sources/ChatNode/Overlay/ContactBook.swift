import Wire

/// The nodes that peers told of (frame 13): hints for a node that proves too few candidates itself (Protocol.md section 13).
struct ContactBook: Sendable {
    private struct Telling: Sendable {
        var instances: [String] = []
        var at: Instant
    }

    /// By teller; only those with a link.
    private var tellings = PackedTable<PeerID, Telling>()

    /// The name that a contact has among the candidates: by its address, and none that mDNS or the user can give.
    static func instance(at endpoint: Endpoint) -> String {
        "contact " + Hexadecimal.encode(endpoint.address) + " \(endpoint.port) \(endpoint.scope)"
    }

    /// Whether a list of a teller is looked at: not one soon after another.
    mutating func takes(from teller: PeerID, now: Instant) -> Bool {
        if let last = tellings[teller]?.at, now < last + Limits.contactPause { return false }
        var telling = tellings[teller] ?? Telling(at: now)
        telling.at = now
        tellings[teller] = telling
        return true
    }

    /// Keeps contacts of a teller, the newest.
    ///
    /// - Returns: the instances that no peer tells any more.
    mutating func note(_ instances: [String], of teller: PeerID) -> [String] {
        guard var telling = tellings[teller] else { return [] }
        let known = telling.instances
        let all = known.filter { !instances.contains($0) } + instances
        telling.instances = all.suffix(Limits.contactsPerTeller)
        tellings[teller] = telling
        return untold(known + instances)
    }

    /// The link to a teller has ended.
    ///
    /// - Returns: the instances that no peer tells any more.
    mutating func forget(_ teller: PeerID) -> [String] {
        let instances = tellings.removeValue(forKey: teller)?.instances ?? []
        return untold(instances)
    }

    private func untold(_ instances: [String]) -> [String] {
        instances.filter { instance in !tellings.values.contains { $0.instances.contains(instance) } }
    }
}

extension Endpoint {
    /// Whether one host can be meant, and so may be dialled because a peer tells of it.
    var isUnicast: Bool {
        guard isIPv4 else { return address[0] != 0xff && address.prefix(15).contains { $0 != 0 } }
        return address[0] != 0 && address[0] < 224
    }
}
