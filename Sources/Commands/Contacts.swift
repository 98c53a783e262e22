package import Chat
import Phrases
package import Wire

/// The user's own names for peers, at most 256, in the order in which they were given.
package struct Contacts: Hashable, Sendable {
    package struct Contact: Hashable, Sendable {
        package let key: PeerID
        /// A result of `Nickname.compose`.
        package let name: String
        /// When the peer was last here; nil if it has not been since it got the name.
        package internal(set) var lastHere: Timestamp?

        package init(key: PeerID, name: String, lastHere: Timestamp? = nil) {
            (self.key, self.name, self.lastHere) = (key, name, lastHere)
        }
    }

    package private(set) var inOrder: [Contact]

    /// - Parameter contacts: of different keys.
    package init(_ contacts: [Contact] = []) { inOrder = contacts }

    /// The name of each key.
    package var names: [PeerID: String] { Dictionary(uniqueKeysWithValues: inOrder.map { ($0.key, $0.name) }) }

    package subscript(key: PeerID) -> Contact? { inOrder.first { $0.key == key } }

    /// Names a peer, or names it anew.
    ///
    /// - Throws: `invalid_nickname`, for the name of another contact too; `too_many_contacts`.
    package mutating func name(_ key: PeerID, _ name: String, lastHere: Timestamp?) throws(ChatError) {
        // The star that every face shows in front is no part of the name.
        let isStarred = name.hasPrefix(PeerName.contactMark)
        let name = try Nickname.compose(isStarred ? String(name.dropFirst()) : name)
        guard !inOrder.contains(where: { $0.key != key && $0.name == name }) else {
            throw ChatError(.invalidNickname, .contactNameTaken, name)
        }
        if let index = inOrder.firstIndex(where: { $0.key == key }) {
            inOrder[index] = Contact(key: key, name: name, lastHere: lastHere ?? inOrder[index].lastHere)
            return
        }
        guard inOrder.count < Limits.contacts else {
            throw ChatError(.tooManyContacts, .tooManyContacts, "\(Limits.contacts)")
        }
        inOrder.append(Contact(key: key, name: name, lastHere: lastHere))
    }

    /// False if the peer is no contact.
    package mutating func remove(_ key: PeerID) -> Bool {
        guard let index = inOrder.firstIndex(where: { $0.key == key }) else { return false }
        inOrder.remove(at: index)
        return true
    }

    /// Records that a contact is here, or was until now; other peers are ignored.
    package mutating func recordPresence(of key: PeerID, at time: Timestamp) {
        guard let index = inOrder.firstIndex(where: { $0.key == key }) else { return }
        inOrder[index].lastHere = time
    }
}

/// Keeps the contacts with the identity.
package protocol ContactKeeper: Sendable {
    /// Nil once they were wiped.
    var contacts: Contacts? { get }

    /// Takes over the contacts; the returned function returns when they are on the disk, or can not be.
    func store(_ contacts: Contacts) -> @Sendable () async -> Void
}
