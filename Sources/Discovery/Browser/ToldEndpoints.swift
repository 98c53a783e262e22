import ChatNode
import Wire

/// The endpoints of instances that were reported to the node, and their weights.
struct ToldEndpoints {
    private var told: [String: [Endpoint: Int]] = [:]

    /// Whether an instance is reported and not lost.
    func contains(_ instance: String) -> Bool { told[instance] != nil }

    /// The reports that are due now that an instance has these lookups.
    mutating func update(_ instance: String, to lookups: some Sequence<Lookup>) -> [DiscoveryEvent] {
        let pairs = lookups.lazy.compactMap { lookup in lookup.endpoint.map { ($0, lookup.weight) } }
        let after = Dictionary(pairs, uniquingKeysWith: max)
        let before = told[instance] ?? [:]
        told[instance] = after.isEmpty ? nil : after
        if after.isEmpty { return before.isEmpty ? [] : [.lost(instance: instance)] }
        return after.compactMap { endpoint, weight in
            guard before[endpoint].map({ Lookup.isNews(weight, after: $0) }) ?? true else { return nil }
            return .found(instance: instance, endpoint: endpoint, weight: weight)
        }
    }
}
