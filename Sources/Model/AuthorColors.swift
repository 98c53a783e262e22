package import Wire

/// The colours of authors' names, as numbers: stable for a key while its peer is present, and different for all peers
/// that are present while there are colours left. Bounded: 16,384 keys.
package struct AuthorColors: Sendable {
    package static let count = 24

    private var assigned: [PeerID: Int] = [:]
    private var present: Set<PeerID> = []

    package init() {}

    /// The colours that keys have now, in no order.
    package var all: [(key: PeerID, color: Int)] { assigned.map { ($0.key, $0.value) } }

    /// The colour that a key has; nil if it has none yet.
    package func known(_ key: PeerID) -> Int? { assigned[key] }

    /// The colour of a key, which gets one.
    package subscript(key: PeerID) -> Int {
        mutating get {
            if let index = assigned[key] { return index }
            let index = free(for: key)
            if assigned.count >= Limits.knownPeers { assigned = assigned.filter { present.contains($0.key) } }
            if assigned.count < Limits.knownPeers { assigned[key] = index }
            return index
        }
    }

    /// A peer came. If it has the colour of another present peer, and another is free, it gets that one.
    package mutating func record(_ key: PeerID, isPresent: Bool) {
        guard isPresent else {
            present.remove(key)
            return
        }
        guard !present.contains(key), present.count < Limits.knownPeers else { return }
        if let index = assigned[key], present.contains(where: { assigned[$0] == index }) { assigned[key] = nil }
        assigned[key] = self[key]
        present.insert(key)
    }

    /// The first colour, from the one that the key itself selects, that no present peer has.
    private func free(for key: PeerID) -> Int {
        let count = AuthorColors.count
        let own = Int(key.words.0 % UInt64(count))
        let taken = Set(present.compactMap { assigned[$0] })
        // Steps of 7 visit all 24 places, and neighbours are similar hues.
        return (0..<count).lazy.map { (own + 7 * $0) % count }.first { !taken.contains($0) } ?? own
    }
}
