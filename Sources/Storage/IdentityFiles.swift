import Reactor
import Synchronization
import Wire

/// The files of an identity that is in use: the one with its key, locked as long as this lives, and the state beside it.
package final class IdentityFiles: Sendable {
    /// What the state's file is called beside the identity's.
    static let stateSuffix = ".state"

    private let directory: PrivateDirectory
    private let lock: Descriptor
    private let identityPlace: FilePlace
    private let statePlace: FilePlace
    private let id: PeerID
    private let willWrite: @Sendable () -> Void
    /// Nil once the files are removed: then nothing is written any more.
    private let content: Mutex<IdentityState?>

    /// Whether an identity was there and its state was not: lost, or never there.
    package let isStateMissing: Bool

    init(
        directory: consuming PrivateDirectory, lock: consuming Descriptor, identity: FilePlace, state: FilePlace,
        id: PeerID, content: IdentityState?, willWrite: @escaping @Sendable () -> Void = {}
    ) {
        self.directory = directory
        self.lock = lock
        identityPlace = identity
        statePlace = state
        self.id = id
        self.willWrite = willWrite
        isStateMissing = content == nil
        self.content = Mutex(content ?? IdentityState())
    }

    package var path: String { identityPlace.path }
    package var statePath: String { statePlace.path }

    /// As it is on the disk.
    package var state: IdentityState { content.withLock { $0 } ?? IdentityState() }

    /// Whether what is stored is kept: not once the files are removed.
    package var isInUse: Bool { content.withLock { $0 != nil } }

    /// Changes the state; it is on the disk when this returns. On an error it is as it was, here and there.
    package func store(_ change: (inout IdentityState) -> Void) throws(StorageError) {
        let failure: StorageError? = content.withLock { content in
            guard var changed = content else { return nil }
            change(&changed)
            do throws(StorageError) {
                willWrite()
                try directory.replace(statePlace, changed.write(of: id).span)
                content = changed
                return nil
            } catch {
                return error
            }
        }
        if let failure { throw failure }
    }

    /// Removes both files, and writes nothing any more.
    ///
    /// - Returns: the paths of those that were there, and why others could not be removed.
    package func remove() -> (removed: [String], failures: [StorageError]) {
        content.withLock { content in
            content = nil
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
