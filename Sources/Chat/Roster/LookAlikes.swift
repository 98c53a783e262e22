import Wire

/// The names of peers that look like another's and are other names: Cyrillic or Greek letters in place of Latin ones, `l` in place
/// of `I`. Of users with the very same nickname only the numbers tell them apart, as ever.
struct LookAlikes: Sendable {
    /// The name that had a skeleton first.
    private struct Name {
        var peer: PeerID
        var nickname: Int
        /// Another name with the same skeleton is here.
        var isShared = false
    }

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

    /// The peer whose name had the skeleton of a nickname first.
    func holder(of nickname: String) -> PeerID? { names[LookAlikes.key(of: nickname)]?.peer }

    /// Notes that a peer calls itself so from now on.
    ///
    /// - Parameter isMet: whether the holder of the skeleton is here or a contact, so that the two could be confused.
    /// - Returns: whether the name looks like another's, and the peer whose name is like another's from now on.
    mutating func add(_ nickname: String, of peer: PeerID, isMet: Bool) -> (isAlike: Bool, other: PeerID?) {
        let (key, hash) = (LookAlikes.key(of: nickname), nickname.hashValue)
        let isLikeUsers = isLikeUsers(key, hash, of: peer)
        guard var name = names[key], name.peer != peer, name.isShared || isMet else {
            names.set(Name(peer: peer, nickname: hash), for: key)
            return (isLikeUsers, nil)
        }
        guard !name.isShared, name.nickname != hash else { return (isLikeUsers || name.isShared, nil) }
        name.isShared = true
        names.set(name, for: key)
        return (true, name.peer)
    }

    /// Whether the nickname of a peer looks like another's, as far as is known.
    func isAlike(_ nickname: String, of peer: PeerID) -> Bool {
        let (key, hash) = (LookAlikes.key(of: nickname), nickname.hashValue)
        if isLikeUsers(key, hash, of: peer) { return true }
        guard let name = names[key] else { return false }
        return name.isShared || name.peer != peer && name.nickname != hash
    }

    /// Whether a nickname looks like the user's and is another, or like the user's name for another peer.
    private func isLikeUsers(_ key: Int, _ hash: Int, of peer: PeerID) -> Bool {
        if let contact = contacts[key], contact != peer { return true }
        guard let own else { return false }
        return own.key == key && own.nickname != hash
    }

    static func areAlike(_ one: String, _ other: String) -> Bool { key(of: one) == key(of: other) }

    /// As it is shown, so that scalars that are replaced make no difference.
    private static func key(of name: String) -> Int { Skeleton.of(DisplayGuard.safeName(name)).hashValue }
}
