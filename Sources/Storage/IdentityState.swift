package import Noise
package import Wire

/// The state of an identity that is kept from run to run, beside its key.
package struct IdentityState: Hashable, Sendable {
    /// That of the last run (Protocol.md section 9).
    package var epoch: UInt64
    /// Each at most `Limits.markedPeers`, in the order in which they were marked.
    package var verified: [PeerID]
    package var blocked: [PeerID]
    /// The peers of accepted direct conversations, at most `Limits.directConversations`, the one used last at the end.
    package var accepted: [PeerID]
    /// The nickname that the user chose last, as it was composed; nil if none was chosen. Reading checks only its length: the
    /// rules for nicknames belong to another module.
    package var nickname: String?
    /// The line about the user, as it was composed; nil for none. Reading checks only its length.
    package var about: String?
    /// The user's own names for peers, at most `Limits.contacts`, in the order in which they were given.
    package var contacts: [Contact]

    package struct Contact: Hashable, Sendable {
        package let key: PeerID
        /// As it was composed. Reading checks only its length.
        package let name: String
        /// By the wall clock; 0 for never.
        package let lastHere: Timestamp

        package init(key: PeerID, name: String, lastHere: Timestamp) {
            (self.key, self.name, self.lastHere) = (key, name, lastHere)
        }
    }

    package init(
        epoch: UInt64 = 0, verified: [PeerID] = [], blocked: [PeerID] = [], accepted: [PeerID] = [],
        nickname: String? = nil, about: String? = nil, contacts: [Contact] = []
    ) {
        self.epoch = epoch
        self.verified = verified
        self.blocked = blocked
        self.accepted = accepted
        self.nickname = nickname
        self.about = about
        self.contacts = contacts
    }

    /// More than the longest text has: two full tables of lines of 75 bytes, and a sealed part.
    package static let most = 768 << 10

    /// The least epoch that counts as later than the last run.
    package var nextEpoch: UInt64 { epoch == .max ? .max : epoch + 1 }

    /// Reads the text of a state file, which has to be exactly as `write` makes it for the same identity.
    ///
    /// - Parameter seal: that of an identity under a pass phrase, whose private part is sealed; nil for any other.
    package init(
        reading text: Span<UInt8>, of identity: PeerID, under seal: borrowing SeedSeal? = nil
    ) throws(FileFault) {
        guard !text.isEmpty else { throw .empty }
        var cursor = StrictText(text)
        guard cursor.takeLiteral("earshot-state-") else { throw .foreign }
        guard cursor.takeLiteral("3\n") else { throw .unknownForm }
        guard cursor.takeLiteral("epoch: "), let epoch = cursor.takeNumber(), cursor.takeLiteral("\n") else {
            throw .damagedState
        }
        let verified = try IdentityState.readKeys("verified: ", atMost: Limits.markedPeers, &cursor)
        let blocked = try IdentityState.readKeys("blocked: ", atMost: Limits.markedPeers, &cursor)
        self.init(epoch: epoch, verified: verified, blocked: blocked)
        switch seal {
        case .none: try readPrivate(&cursor)
        case .some(let seal): try readSealed(&cursor, seal)
        }
        let summed = text.extracting(..<cursor.offset)
        guard cursor.takeLiteral("sum: "), let sum = cursor.takeBytes(IdentityState.sumBytes), cursor.takeLiteral("\n"),
            cursor.isAtEnd, sum == IdentityState.sum([UInt8](copying: summed), of: identity)
        else { throw .damagedState }
    }

    /// The text of the file.
    ///
    /// - Parameter seal: as for reading.
    package func write(of identity: PeerID, under seal: borrowing SeedSeal? = nil) -> [UInt8] {
        let verified = self.verified.suffix(Limits.markedPeers).map { "verified: \($0.hexadecimal)\n" }
        let blocked = self.blocked.suffix(Limits.markedPeers).map { "blocked: \($0.hexadecimal)\n" }
        let open = "earshot-state-3\nepoch: \(epoch)\n\((verified + blocked).joined())"
        let text: [UInt8]
        switch seal {
        case .none: text = Array((open + privateText).utf8)
        case .some(let seal): text = Array("\(open)sealed: \(Hexadecimal.encode(sealed(by: seal)))\n".utf8)
        }
        return text + Array("sum: \(Hexadecimal.encode(IdentityState.sum(text, of: identity)))\n".utf8)
    }

    private static let sumBytes = 16

    /// Finds damage, and the state of another identity; it is no protection from a user that can write the file.
    private static func sum(_ text: [UInt8], of identity: PeerID) -> [UInt8] {
        let bytes = identity.bytes + text
        return Array(SHA256.hash("earshot/3 state\0", bytes.span).prefix(sumBytes))
    }

    private static func readKeys(
        _ label: StaticString, atMost most: Int, _ cursor: inout StrictText
    ) throws(FileFault) -> [PeerID] {
        var keys: [PeerID] = []
        while cursor.takeLiteral(label) {
            guard keys.count < most, let bytes = cursor.takeBytes(PeerID.byteCount),
                let key = PeerID(bytes), cursor.takeLiteral("\n")
            else { throw .damagedState }
            keys.append(key)
        }
        return keys
    }
}

/// The private part: sealed where the identity has a pass phrase, so that a reader of the file learns neither the user's
/// nickname nor which peers the user talks to and knows.
extension IdentityState {
    package static let purpose: Domain = "earshot/3 state box\0"

    /// Bytes of the private part that are sealed: more than the longest has, and always as many, so that the length hides the
    /// number of conversations and contacts.
    static let sealedBytes = 72 << 10

    private var privateText: String {
        let own = nickname.map { "nickname: \($0)\n" } ?? ""
        let line = about.map { "about: \($0)\n" } ?? ""
        let conversations = accepted.suffix(Limits.directConversations).map { "accepted: \($0.hexadecimal)\n" }
        let named = contacts.prefix(Limits.contacts).map {
            "contact: \($0.key.hexadecimal) \($0.lastHere.milliseconds) \($0.name)\n"
        }
        return own + line + conversations.joined() + named.joined()
    }

    private mutating func readPrivate(_ cursor: inout StrictText) throws(FileFault) {
        if cursor.takeLiteral("nickname: ") {
            guard let name = cursor.takeLine(atMost: Limits.nicknameBytes) else { throw .damagedState }
            nickname = name
        }
        if cursor.takeLiteral("about: ") {
            guard let line = cursor.takeLine(atMost: Limits.aboutBytes) else { throw .damagedState }
            about = line
        }
        accepted = try IdentityState.readKeys("accepted: ", atMost: Limits.directConversations, &cursor)
        while cursor.takeLiteral("contact: ") { contacts.append(try readContact(&cursor)) }
    }

    /// A contact is there once, and its name too.
    private func readContact(_ cursor: inout StrictText) throws(FileFault) -> Contact {
        guard contacts.count < Limits.contacts, let bytes = cursor.takeBytes(PeerID.byteCount),
            let key = PeerID(bytes), cursor.takeLiteral(" "), let time = cursor.takeNumber(), cursor.takeLiteral(" "),
            let name = cursor.takeLine(atMost: Limits.nicknameBytes),
            !contacts.contains(where: { $0.key == key || $0.name == name })
        else { throw .damagedState }
        return Contact(key: key, name: name, lastHere: Timestamp(milliseconds: time))
    }

    private func sealed(by seal: borrowing SeedSeal) -> [UInt8] {
        let text = Array(privateText.utf8)
        precondition(text.count <= IdentityState.sealedBytes, "a private part is longer than its box")
        var randomness = Randomness.system
        let padded = Secret(count: IdentityState.sealedBytes, protection: .transient) { padded in
            for index in text.indices { padded[index] = text[index] }
        }
        return seal.seal(padded, using: &randomness)
    }

    private mutating func readSealed(_ cursor: inout StrictText, _ seal: borrowing SeedSeal) throws(FileFault) {
        guard cursor.takeLiteral("sealed: "), let box = cursor.takeBytes(IdentityState.sealedBytes + SeedSeal.overhead),
            cursor.takeLiteral("\n"), let opened = seal.open(box)
        else { throw .damagedState }
        var inner = StrictText(opened.span)
        try readPrivate(&inner)
        for index in inner.offset..<opened.count where opened.span[index] != 0 { throw .damagedState }
    }
}
