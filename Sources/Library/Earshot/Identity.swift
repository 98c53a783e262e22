internal import Chat
internal import Noise
internal import Reactor
internal import Storage
internal import Synchronization
internal import Wire

/// The key by which others know this user. One identity can be in several rooms at once.
public struct Identity: Sendable {
    let kept: KeptIdentity

    /// A new identity that lasts as long as the process.
    ///
    /// - Throws: `refusedBySystem` if the system offers no randomness.
    public static func ephemeral() throws(JoinError) -> Identity {
        try checkRandomness()
        var randomness = Randomness.system
        return Identity(kept: KeptIdentity(Noise.Identity.generate(using: &randomness)))
    }

    /// The identity of a file, which is made if there is none. Beside it, `FILE.state` keeps the peers of direct conversations.
    ///
    /// The file is locked until the last copy of the value is gone. With a pass phrase the call computes for about a second.
    ///
    /// - Parameters:
    ///   - path: the file; `~/` at its beginning is the home directory.
    ///   - passphrase: the pass phrase that seals the file; nil for a file without one.
    /// - Throws: `identityUnusable`, `refusedBySystem`.
    public static func file(_ path: String, passphrase: String? = nil) throws(JoinError) -> Identity {
        try checkRandomness()
        let phrase: Secret? = passphrase.map { Secret(copying: $0) }
        do throws(StorageError) {
            return Identity(kept: try KeptIdentity.open(expanded(path), phrase: phrase))
        } catch {
            throw JoinError(.identityUnusable, error.description)
        }
    }

    /// The public key: 64 hexadecimal digits, equal to the `id` of its `Person`.
    public var id: String { kept.id.hexadecimal }

    private static func expanded(_ path: String) -> String {
        guard path.hasPrefix("~/"), let home = ProcessEnvironment.value("HOME") else { return path }
        return home + path.dropFirst()
    }

    private static func checkRandomness() throws(JoinError) {
        guard Randomness.isAvailable else {
            throw JoinError(.refusedBySystem, "libsodium can not start: see whether /dev/urandom is there")
        }
    }
}

/// An identity's key with the files that keep it, if there are any.
final class KeptIdentity: Sendable {
    let id: PeerID
    let files: IdentityFiles?
    private let writer: StateWriter?
    private let key: Mutex<Noise.Identity>
    /// The peers of accepted direct conversations in each room.
    private let accepted = Mutex<[ObjectIdentifier: [PeerID]]>([:])

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

    static func open(_ path: String, phrase: borrowing Secret?) throws(StorageError) -> KeptIdentity {
        let stored: StoredIdentity
        do throws(StorageError) { stored = try StoredIdentity.open(path, locking: true) } catch {
            guard error.reason == .missing else { throw error }
            return try KeptIdentity(StoredIdentity.create(path, phrase: phrase))
        }
        return try KeptIdentity(stored.unlock(with: phrase))
    }

    func copy() -> sending Noise.Identity { key.withLock { $0.copy() } }

    var state: IdentityState { files?.state ?? IdentityState() }

    /// Stores the epoch of a run before any peer hears of it (Protocol.md section 9).
    func store(epoch: UInt64, nickname: String) throws(JoinError) {
        do throws(StorageError) {
            try files?.store { state in
                state.epoch = max(state.epoch, epoch)
                state.nickname = nickname
            }
        } catch {
            throw JoinError(.identityUnusable, error.description)
        }
    }

    func submit(epoch: UInt64) { writer?.submit { $0.epoch = max($0.epoch, epoch) } }

    /// Stores the peers of direct conversations of a room behind those of the other rooms.
    func submit(accepted peers: [PeerID], of room: ObjectIdentifier) {
        let others = accepted.withLock { all in
            all[room] = peers
            return all.filter { $0.key != room }.flatMap(\.value)
        }
        let kept = Set(peers)
        writer?.submit { state in
            let all = Set(others).subtracting(kept).sorted() + peers
            state.accepted = Array(all.suffix(Limits.directConversations))
        }
    }
}
