import Glibc
import Noise
import Reactor
import Synchronization
import Wire

/// The files of an identity in use: the file of its key, locked as long as this lives, and the state's beside it.
package final class IdentityFiles: Sendable {
    /// Appended to the name of the identity's file, it names the state's.
    static let stateSuffix = ".state"

    private let directory: PrivateDirectory
    private let lock: Descriptor
    private let identityPlace: FilePlace
    private let statePlace: FilePlace
    private let id: PeerID
    private let willWrite: @Sendable () -> Void
    /// Held while the disk is written: by one thread at a time, and apart from `content`, which is read meanwhile. It guards
    /// the seal of the private part, which an identity with a pass phrase has.
    private let writing: Mutex<SeedSeal?>
    /// The state as it is on the disk; nil once the files are removed: then nothing is written any more.
    private let content: Mutex<IdentityState?>

    /// True if the identity's file had no state beside it: lost, or never there.
    package let isStateMissing: Bool

    init(
        directory: consuming PrivateDirectory, lock: consuming Descriptor, identity: FilePlace, state: FilePlace,
        id: PeerID, seal: consuming sending SeedSeal?, content: IdentityState?,
        willWrite: @escaping @Sendable () -> Void = {}
    ) {
        self.directory = directory
        self.lock = lock
        identityPlace = identity
        statePlace = state
        self.id = id
        self.willWrite = willWrite
        writing = Mutex(seal)
        isStateMissing = content == nil
        self.content = Mutex(content ?? IdentityState())
    }

    /// Explicitly, because a child that another thread is starting has the descriptor too until it is another program.
    deinit { flock(lock.number, LOCK_UN) }

    package var statePath: String { statePlace.path }

    /// The state as it is on the disk.
    package var state: IdentityState { content.withLock { $0 } ?? IdentityState() }

    /// False once the files are removed.
    package var isInUse: Bool { content.withLock { $0 != nil } }

    /// Changes the state; it is on the disk when this returns, which may take seconds. An error leaves it unchanged.
    package func store(_ change: (inout IdentityState) -> Void) throws(StorageError) {
        let failure: StorageError? = writing.withLock { seal in
            guard var changed = content.withLock({ $0 }) else { return nil }
            change(&changed)
            do throws(StorageError) {
                willWrite()
                try directory.replace(statePlace, changed.write(of: id, under: seal).span)
                content.withLock { $0 = changed }
                return nil
            } catch {
                return error
            }
        }
        if let failure { throw failure }
    }

    /// Removes both files, and writes nothing any more.
    ///
    /// - Returns: the paths of the removed files, and the errors of the others.
    package func remove() -> (removed: [String], failures: [StorageError]) {
        writing.withLock { _ in
            content.withLock { $0 = nil }
            var removed: [String] = []
            var failures: [StorageError] = []
            for place in [identityPlace, statePlace] {
                do throws(StorageError) {
                    if try directory.remove(place) { removed.append(place.path) }
                } catch {
                    failures.append(error)
                }
            }
            return (removed, failures)
        }
    }
}
