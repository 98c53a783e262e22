import Chat
import ChatNode
import Commands
import Noise
import Reactor
import Settings
import Storage
import Synchronization
import Wire

/// The identity that a file keeps, with its state, and the rooms where it is used.
final class KeptState: Sendable {
    let files: IdentityFiles
    let writer: StateWriter
    private let content: Mutex<Content>

    private struct Content: ~Copyable {
        /// For further rooms; nil once it was wiped.
        var identity: Identity?
        /// The peers of accepted direct conversations in each room.
        var accepted: [RoomLabel: [PeerID]] = [:]
        var contacts = Contacts()
        /// The peers that are in each room, contacts or not.
        var here: [RoomLabel: Set<PeerID>] = [:]
    }

    /// That of the arguments; nil for an identity that lasts as long as the program.
    static func open(_ arguments: Arguments, _ diagnostics: Diagnostics) throws(StartFailure) -> KeptState? {
        guard let path = arguments.identity else { return nil }
        return try KeptState(at: path, phraseFrom: arguments.phraseDescriptor, diagnostics)
    }

    /// - Parameter descriptor: where a pass phrase is read; nil for the terminal.
    private init(at path: String, phraseFrom descriptor: CInt?, _ diagnostics: Diagnostics) throws(StartFailure) {
        let opened = try KeptIdentity.open(path, phraseFrom: descriptor, diagnostics)
        let files = opened.files
        self.files = files
        writer = try StartFailure.naming { () throws(SystemError) in
            try StateWriter(files) { diagnostics.say(.error, "\($0)") }
        }
        let contacts = files.state.contacts.map { contact in
            let lastHere = contact.lastHere.milliseconds > 0 ? contact.lastHere : nil
            return Contacts.Contact(key: contact.key, name: contact.name, lastHere: lastHere)
        }
        content = Mutex(Content(identity: opened.takeIdentity(), contacts: Contacts(contacts)))
    }

    /// The identity for one more room; nil after a wipe.
    func identity(for room: RoomLabel) -> Identity? {
        content.withLock { content in
            guard content.identity != nil else { return nil }
            content.accepted[room] = files.state.accepted
            return content.identity?.copy()
        }
    }

    /// Whether a room uses this identity, and what is changed there is kept.
    func keeps(_ room: RoomLabel) -> Bool { files.isInUse && content.withLock { $0.accepted[room] != nil } }

    /// Submits a change that was made in a room; the node goes on if it can not be stored. Nil in a room of another identity.
    func store(_ change: KeptChange, of room: RoomLabel) -> (@Sendable () async -> Void)? {
        keeps(room) ? KeptState.submit(change, to: writer) : nil
    }

    static func submit(_ change: KeptChange, to writer: StateWriter) -> @Sendable () async -> Void {
        switch change {
        case .marks(let marks):
            let (verified, blocked) = (marks.verified.inOrder, marks.blocked.inOrder)
            return writer.submit { ($0.verified, $0.blocked) = (verified, blocked) }
        case .nickname(let nickname): return writer.submit { $0.nickname = nickname }
        case .about(let line): return writer.submit { $0.about = line }
        }
    }

    /// Submits the peers of the accepted direct conversations of a room, behind those of the other rooms.
    func store(accepted: [PeerID], of room: RoomLabel) {
        let all = content.withLock { content -> [PeerID] in
            content.accepted[room] = accepted
            let others = content.accepted.filter { $0.key != room }.sorted { $0.key.number < $1.key.number }
            let kept = Set(accepted)
            var seen: Set<PeerID> = []
            return others.flatMap(\.value).filter { !kept.contains($0) && seen.insert($0).inserted } + accepted
        }
        writer.submit { $0.accepted = Array(all.suffix(Limits.directConversations)) }
    }

    /// Notes that a peer is in a room, or left it: of a contact, the time is kept.
    func record(_ peer: PeerID, isHere: Bool, in room: RoomLabel) {
        let changed = content.withLock { content -> Contacts? in
            let wasHere = content.here[room, default: []].contains(peer)
            guard wasHere != isHere else { return nil }
            if isHere { content.here[room, default: []].insert(peer) } else { content.here[room]?.remove(peer) }
            guard content.contacts[peer] != nil else { return nil }
            content.contacts.recordPresence(of: peer, at: .wall)
            return content.contacts
        }
        if let changed { submit(changed) }
    }

    /// Notes that the node of a room has ended: its peers were here until now.
    func recordEnd(of room: RoomLabel) {
        for peer in content.withLock({ $0.here[room] ?? [] }) { record(peer, isHere: false, in: room) }
    }

    @discardableResult
    private func submit(_ contacts: Contacts) -> @Sendable () async -> Void {
        let kept = contacts.inOrder.map {
            IdentityState.Contact(
                key: $0.key, name: $0.name, lastHere: $0.lastHere ?? Timestamp(milliseconds: 0))
        }
        return writer.submit { $0.contacts = kept }
    }

    /// Removes the files and forgets the key.
    func remove() -> (removed: [String], failures: [StorageError]) {
        content.withLock { $0 = Content(identity: nil) }
        return files.remove()
    }
}

extension KeptState: ContactKeeper {
    var contacts: Contacts? { files.isInUse ? content.withLock { $0.contacts } : nil }

    func store(_ contacts: Contacts) -> @Sendable () async -> Void {
        content.withLock { $0.contacts = contacts }
        return submit(contacts)
    }
}
