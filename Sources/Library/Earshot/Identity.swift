package import Chat
package import ChatNode
package import Noise
internal import Reactor
internal import Storage
internal import Synchronization
package import Wire

/// The key by which others know this user. One identity can be in several rooms at once, and in one room after the other: a later
/// run of a room goes on under the last nickname and with the accepted direct conversations. All functions can be called from any
/// actor.
public struct Identity: Sendable {
    private let kept: KeptIdentity

    /// A new identity, which ends with the last copy of the value.
    ///
    /// - Throws: `IdentityError` with `noRandomness`.
    public static func ephemeral() throws(IdentityError) -> Identity {
        try checkRandomness()
        var randomness = Randomness.system
        return Identity(Noise.Identity.generate(using: &randomness))
    }

    package init(_ key: consuming sending Noise.Identity) { kept = KeptIdentity(key) }

    private init(kept: KeptIdentity) { self.kept = kept }

    /// The identity of a file, which is made if there is none. Beside it, `FILE.state` keeps the peers of direct conversations.
    ///
    /// The file is locked until the last copy of the value is gone. With a pass phrase the call computes for about a second.
    ///
    /// - Parameters:
    ///   - path: the file; `~/` at its beginning is the home directory.
    ///   - passphrase: the pass phrase that seals the file, not empty; nil for a file without one.
    /// - Throws: `IdentityError`, also for a file without a pass phrase where one is given.
    public static func file(_ path: String, passphrase: String? = nil) throws(IdentityError) -> Identity {
        try checkRandomness()
        guard passphrase != "" else { throw .emptyPassphrase }
        guard !path.utf8.contains(0) else { throw .invalidPath }
        let phrase: Secret? = passphrase.map { Secret(copying: $0, protection: .guarded) }
        return Identity(kept: try KeptIdentity.open(expanded(path), phrase: phrase))
    }

    /// The public key: 64 hexadecimal digits, equal to the `id` of its `Person`.
    public var id: String { kept.id.hexadecimal }

    private static func expanded(_ path: String) -> String {
        guard path.hasPrefix("~/"), let home = ProcessEnvironment.value("HOME") else { return path }
        return home + path.dropFirst()
    }

    private static func checkRandomness() throws(IdentityError) {
        guard Randomness.isAvailable else { throw .noRandomness }
    }

    /// Makes a node that goes on behind the earlier runs of the identity, and starts it. On the node's executor.
    package func start(
        _ configuration: NodeConfiguration,
        _ make: (NodeConfiguration, consuming sending Noise.Identity, EarlierRuns) throws(JoinError) -> Node
    ) throws(JoinError) -> Node {
        let (state, room) = (kept.state, configuration.room.id)
        var configuration = configuration
        configuration.nickname = configuration.nickname ?? state.nickname
        let runs = EarlierRuns(
            marks: PeerMarks(verified: MarkedPeers(state.verified), blocked: MarkedPeers(state.blocked)),
            accepted: state.accepted, minimumEpoch: state.nextEpoch,
            epochChanged: { [kept] in kept.submit(epoch: $0) },
            directsChanged: { [kept] in kept.submit(accepted: $0, of: room) })
        let node = try make(configuration, kept.copy(), runs)
        try kept.store(epoch: node.epoch, nickname: node.chat.ownName.nickname)
        do throws(TransportError) { try node.start() } catch {
            throw JoinError(listeningOn: configuration.port, error)
        }
        return node
    }
}

/// The arguments of a `Node` that come from the earlier runs of its identity, and take changes for the later ones.
package struct EarlierRuns {
    package let marks: PeerMarks
    package let accepted: [PeerID]
    package let minimumEpoch: UInt64
    package let epochChanged: (UInt64) -> Void
    package let directsChanged: ([PeerID]) -> Void
}

/// An identity's key and state, with the files that keep them, if there are any.
final class KeptIdentity: Sendable {
    let id: PeerID
    private let files: IdentityFiles?
    private let writer: StateWriter?
    private let key: Mutex<Noise.Identity>
    /// The state of an identity without files.
    private let memory = Mutex(IdentityState())
    /// The peers of accepted direct conversations in each room.
    private let accepted = Mutex<[RoomID: [PeerID]]>([:])

    init(_ identity: consuming sending Noise.Identity) {
        (id, files, writer) = (identity.id, nil, nil)
        key = Mutex(identity)
    }

    private init(_ opened: consuming OpenedIdentity) throws(StorageError) {
        let files = opened.files
        (id, self.files) = (opened.id, files)
        do throws(SystemError) { writer = try StateWriter(files) { _ in } } catch {
            throw StorageError(files.statePath, .system(error))
        }
        // A copy, since the one that was opened is bound to the pass phrase.
        key = Mutex(opened.takeIdentity().copy())
    }

    static func open(_ path: String, phrase: borrowing Secret?) throws(IdentityError) -> KeptIdentity {
        do throws(StorageError) {
            let stored: StoredIdentity
            do throws(StorageError) { stored = try StoredIdentity.open(path, locking: true) } catch {
                guard error.reason == .missing else { throw error }
                return try KeptIdentity(StoredIdentity.create(path, phrase: phrase))
            }
            if stored.isSealed || phrase == nil { return try KeptIdentity(stored.unlock(with: phrase)) }
        } catch {
            throw IdentityError(error)
        }
        // Its owner would take the file for sealed.
        throw IdentityError.notSealed(path)
    }

    func copy() -> sending Noise.Identity { key.withLock { $0.copy() } }

    var state: IdentityState { files?.state ?? memory.withLock { $0 } }

    /// Stores the epoch of a run before any peer hears of it (Protocol.md section 9).
    func store(epoch: UInt64, nickname: String) throws(JoinError) {
        let change = { (state: inout IdentityState) in
            state.epoch = max(state.epoch, epoch)
            state.nickname = nickname
        }
        guard let files else { return memory.withLock { change(&$0) } }
        do throws(StorageError) { try files.store(change) } catch {
            throw JoinError(.identityUnusable, error.description)
        }
    }

    func submit(epoch: UInt64) { submit { $0.epoch = max($0.epoch, epoch) } }

    /// Stores the peers of direct conversations of a room behind those of the other rooms.
    func submit(accepted peers: [PeerID], of room: RoomID) {
        let others = accepted.withLock { all in
            all[room] = peers
            return all.filter { $0.key != room }.flatMap(\.value)
        }
        let kept = Set(peers)
        submit { state in
            let all = Set(others).subtracting(kept).sorted() + peers
            state.accepted = Array(all.suffix(Limits.directConversations))
        }
    }

    private func submit(_ change: @escaping @Sendable (inout IdentityState) -> Void) {
        guard let writer else { return memory.withLock { change(&$0) } }
        writer.submit(change)
    }
}
