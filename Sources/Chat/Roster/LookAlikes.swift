import Wire

/// The names of peers that look like another's and are other names: Cyrillic or Greek letters in place of Latin ones, `l` in place
/// of `I`, capital letters in place of small ones. Of users with the very same nickname only the numbers tell them apart, as ever.
struct LookAlikes: Sendable {
    /// The peers whose present names have a skeleton, the first one at the beginning: a crowd of one name is not kept whole.
    private struct Name {
        var bearers: [(peer: PeerID, nickname: Int)] = []
    }

    private static let mostBearers = 8

    /// By the hash of the skeleton.
    private var names = RecentTable<Int, Name>(capacity: Limits.knownPeers)
    /// The user's own names for contacts, by the hash of the skeleton.
    private var contacts: [Int: PeerID] = [:]
    /// The hashes of the user's nickname and of its skeleton; nil while it is not known.
    private var own: (nickname: Int, key: Int)?

    mutating func setContacts(_ names: [PeerID: String]) {
        contacts = [:]
        for (peer, name) in names.sorted(by: { $0.key < $1.key }) { contacts[LookAlikes.key(of: name)] = peer }
    }

    mutating func setOwnNickname(_ nickname: String) { own = (nickname.hashValue, LookAlikes.key(of: nickname)) }

    /// Notes that a peer calls itself so from now on, and no more as before.
    ///
    /// - Parameters:
    ///   - before: its nickname before; empty for none.
    ///   - isMet: whether a peer is here or a contact under such a name, so that the two could be confused.
    /// - Returns: the other peers whose names are like another's from now on, or not any more.
    mutating func move(
        _ peer: PeerID, from before: String, to nickname: String, isMet: (PeerID) -> Bool
    ) -> [PeerID] {
        var others: [PeerID] = []
        if !before.isEmpty {
            names.update(LookAlikes.key(of: before)) { name in
                name.bearers.removeAll { $0.peer == peer }
                others += name.bearers.map(\.peer)
            }
        }
        let hash = nickname.hashValue
        names.update(LookAlikes.key(of: nickname), orNew: { Name() }) { name in
            name.bearers.removeAll { $0.peer == peer || !isMet($0.peer) }
            others += name.bearers.map(\.peer)
            if name.bearers.count == LookAlikes.mostBearers { name.bearers.removeLast() }
            name.bearers.append((peer, hash))
        }
        return others
    }

    /// Whether the nickname of a peer looks like another's, as far as is known.
    func isAlike(_ nickname: String, of peer: PeerID) -> Bool {
        let (key, hash) = (LookAlikes.key(of: nickname), nickname.hashValue)
        if isLikeUsers(key, hash, of: peer) { return true }
        return names[key]?.bearers.contains { $0.peer != peer && $0.nickname != hash } ?? false
    }

    /// Whether a nickname looks like the user's and is another, or like the user's name for another peer.
    private func isLikeUsers(_ key: Int, _ hash: Int, of peer: PeerID) -> Bool {
        if let contact = contacts[key], contact != peer { return true }
        guard let own else { return false }
        return own.key == key && own.nickname != hash
    }

    static func areAlike(_ one: String, _ other: String) -> Bool { key(of: one) == key(of: other) }

    /// As it is shown, so that scalars that are replaced make no difference.
    private static func key(of name: String) -> Int { Skeleton.of(DisplayGuard.safeName(name)).lowercased().hashValue }
}
