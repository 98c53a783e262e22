import Wire

/// The colours of authors' names on this screen: stable for a key while its peer is present, and different for all peers
/// that are present while there are colours left.
struct AuthorColors: Sendable {
    /// Of the 256 colours of xterm. Each differs from black and from white by a contrast of 3 and more (WCAG 2), and any two
    /// by 23 and more in CIELAB (CIE 1976). None is of the first 16, which a theme can change.
    static let palette: [UInt8] = [
        30, 67, 32, 33, 27, 61, 98, 93, 171, 139, 133, 201, 126, 199, 168, 197, 131, 196, 166, 137, 136, 58, 28, 65,
    ]

    private var assigned: [PeerID: Int] = [:]
    private var present: Set<PeerID> = []

    /// The colour of a key, as a place in the palette.
    subscript(key: PeerID) -> Int {
        mutating get {
            if let index = assigned[key] { return index }
            let index = free(for: key)
            if assigned.count >= Limits.knownPeers { assigned = assigned.filter { present.contains($0.key) } }
            if assigned.count < Limits.knownPeers { assigned[key] = index }
            return index
        }
    }

    /// A peer came. If it has the colour of another present peer, and another is free, it gets that one.
    mutating func record(_ key: PeerID, isPresent: Bool) {
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
        let count = AuthorColors.palette.count
        let own = Int(key.words.0 % UInt64(count))
        let taken = Set(present.compactMap { assigned[$0] })
        // Steps of 7 visit all 24 places, and neighbours in the palette are similar hues.
        return (0..<count).lazy.map { (own + 7 * $0) % count }.first { !taken.contains($0) } ?? own
    }
}
