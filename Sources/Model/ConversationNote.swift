import Chat
package import Wire

/// The changes behind the last message of a conversation, folded: arrivals and departures by their number, each rename once, and
/// notices.
package struct ConversationNote: Hashable, Sendable {
    /// A peer, or the user, has another name.
    package struct Rename: Hashable, Sendable {
        package let key: PeerID
        /// The display name behind the last message.
        package let was: String
        package fileprivate(set) var present: String
    }

    static let mostRenames = 1_024
    static let mostTexts = 20

    /// Grows with each message of the conversation.
    package let number: Int
    package private(set) var came = 0
    package private(set) var left = 0
    package private(set) var renames: [Rename] = []
    /// In English, the oldest first.
    package private(set) var texts: [String] = []

    init(number: Int) { self.number = number }

    mutating func add(came: Int, left: Int) {
        self.came += came
        self.left += left
    }

    /// Two renames of one peer are one, and none if the name is the first one again.
    ///
    /// - Returns: whether it is another name.
    mutating func addRename(of was: PeerName, to who: PeerName) -> Bool {
        guard was.displayName != who.displayName else { return false }
        if let index = renames.firstIndex(where: { $0.key == who.key }) {
            renames[index].present = who.displayName
            if renames[index].was == who.displayName { renames.remove(at: index) }
        } else if renames.count < ConversationNote.mostRenames {
            renames.append(Rename(key: who.key, was: was.displayName, present: who.displayName))
        }
        return true
    }

    package var withoutRenames: ConversationNote {
        var note = self
        note.renames = []
        return note
    }

    /// Forgets the names of a peer.
    ///
    /// - Returns: whether there were any.
    mutating func forget(_ peer: PeerID) -> Bool {
        let count = renames.count
        renames.removeAll { $0.key == peer }
        return renames.count < count
    }

    mutating func add(_ text: String) { texts = texts.suffix(ConversationNote.mostTexts - 1) + [text] }
}
