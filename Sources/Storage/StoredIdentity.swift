package import Noise
import Reactor
package import Wire

/// An identity file that was opened and found to be in order, its seed not yet taken out.
package struct StoredIdentity: ~Copyable {
    private let place: FilePlace
    private let directory: PrivateDirectory
    private let file: Descriptor
    private let text: IdentityText

    /// Opens an identity file.
    ///
    /// - Parameter locking: whether the identity is to be used: then no other process can open it so, until the
    ///   `IdentityFiles` that it becomes are gone.
    /// - Throws: `missing`, `inUse`, or what is wrong with it.
    package static func open(_ path: String, locking: Bool) throws(StorageError) -> StoredIdentity {
        let place = try FilePlace(path)
        let directory = try PrivateDirectory.holding(place)
        let file = try directory.open(place, locking: locking, atMost: IdentityText.most)
        let bytes = try directory.read(file, of: place, atMost: IdentityText.most)
        let text: IdentityText
        do throws(FileFault) {
            text = try IdentityText(reading: bytes.span)
        } catch {
            throw StorageError(path, .unreadable(error))
        }
        return StoredIdentity(place: place, directory: directory, file: file, text: text)
    }

    /// Whether only a pass phrase opens it.
    package var isSealed: Bool {
        switch text {
        case .clear: false
        case .sealed: true
        }
    }

    /// Takes the identity out, and reads its state.
    ///
    /// - Parameter phrase: the pass phrase; not looked at where there is none.
    /// - Throws: `noPhrase`, `wrongPhrase`, `outOfMemory`, or what is wrong with the state's file.
    package consuming func unlock(
        with phrase: borrowing Secret?, willWrite: @escaping @Sendable () -> Void = {}
    ) throws(StorageError) -> OpenedIdentity {
        let seed = try StoredIdentity.seed(text, phrase, place)
        let seal = isSealed ? SeedSeal.derived(from: seed, purpose: IdentityState.purpose) : nil
        let identity = Identity(seed: seed)
        let state = place.beside(IdentityFiles.stateSuffix)
        let known = try StoredIdentity.readState(state, of: identity.id, under: seal, in: directory)
        let files = IdentityFiles(
            directory: directory, lock: file, identity: place, state: state, id: identity.id, seal: seal,
            content: known, willWrite: willWrite)
        return OpenedIdentity(identity: identity, files: files)
    }

    /// Makes a new identity and its files, with their directories.
    ///
    /// - Parameter phrase: a pass phrase for it, or none.
    /// - Throws: `exists` where there is an identity file or a state file.
    package static func create(
        _ path: String, phrase: borrowing Secret?, cost: SealedSecret.Cost = .standard
    ) throws(StorageError) -> OpenedIdentity {
        let place = try FilePlace(path)
        let directory = try PrivateDirectory.making(place)
        let state = place.beside(IdentityFiles.stateSuffix)
        guard !directory.has(place) else { throw StorageError(path, .exists) }
        guard !directory.has(state) else { throw StorageError(state.path, .exists) }
        var randomness = Randomness.system
        let seed = Secret(random: Identity.seedBytes, protection: .transient, using: &randomness)
        let text = try text(of: seed, phrase, cost, place)
        let lock = try directory.create(place, text.span)
        let seal: SeedSeal? =
            switch phrase {
            case .none: nil
            case .some: SeedSeal.derived(from: seed, purpose: IdentityState.purpose)
            }
        let identity = Identity(seed: seed)
        let files = IdentityFiles(
            directory: directory, lock: lock, identity: place, state: state, id: identity.id, seal: seal, content: nil)
        try files.store { _ in }
        return OpenedIdentity(identity: identity, files: files)
    }

    private static func seed(
        _ text: borrowing IdentityText, _ phrase: borrowing Secret?, _ place: FilePlace
    ) throws(StorageError) -> Secret {
        switch text {
        case .clear(let seed): return seed.prefix(seed.count)
        case .sealed(let sealed):
            switch phrase {
            case .none: throw StorageError(place.path, .noPhrase)
            case .some(let phrase):
                do throws(SealedSecret.Failure) {
                    return try sealed.open(with: phrase, purpose: IdentityText.purpose)
                } catch {
                    throw StorageError(place.path, StorageError.Reason(error))
                }
            }
        }
    }

    private static func text(
        of seed: borrowing Secret, _ phrase: borrowing Secret?, _ cost: SealedSecret.Cost, _ place: FilePlace
    ) throws(StorageError) -> Secret {
        switch phrase {
        case .none: return IdentityText.clear(seed.prefix(seed.count)).write()
        case .some(let phrase):
            var randomness = Randomness.system
            do throws(SealedSecret.Failure) {
                let sealed = try SealedSecret(
                    sealing: seed, under: phrase, cost: cost, purpose: IdentityText.purpose, using: &randomness)
                return IdentityText.sealed(sealed).write()
            } catch {
                throw StorageError(place.path, StorageError.Reason(error))
            }
        }
    }

    /// Nil where there is none.
    private static func readState(
        _ state: FilePlace, of identity: PeerID, under seal: borrowing SeedSeal?,
        in directory: borrowing PrivateDirectory
    ) throws(StorageError) -> IdentityState? {
        guard directory.has(state) else { return nil }
        let file = try directory.open(state, locking: false, atMost: IdentityState.most)
        let bytes = try directory.read(file, of: state, atMost: IdentityState.most)
        do throws(FileFault) {
            return try IdentityState(reading: bytes.span, of: identity, under: seal)
        } catch {
            throw StorageError(state.path, .unreadable(error))
        }
    }
}

/// An identity and the files that it is kept in.
package struct OpenedIdentity: ~Copyable {
    private let identity: Identity
    package let files: IdentityFiles

    init(identity: consuming Identity, files: IdentityFiles) {
        self.identity = identity
        self.files = files
    }

    package var id: PeerID { identity.id }

    /// The identity alone.
    package consuming func takeIdentity() -> Identity { identity }
}

extension StorageError.Reason {
    fileprivate init(_ failure: SealedSecret.Failure) {
        switch failure {
        case .wrongPhrase: self = .wrongPhrase
        case .outOfMemory: self = .outOfMemory
        }
    }
}
