import Reactor

/// Says that a place of that name is in use, as long as this value lives and its process does.
///
/// The place is an empty file, made if there is none and left where it is: were it removed, two could hold it.
package struct PlaceLock: ~Copyable, Sendable {
    private let file: Descriptor

    /// - Throws: `inUse` with the process that has it; otherwise what is wrong with the file or its directory, which
    ///   must both be such that no other user can change them (`FileCheck`).
    package static func acquire(_ path: String) throws(StorageError) -> PlaceLock {
        let place = try FilePlace(path)
        let directory = try PrivateDirectory.holding(place)
        if !directory.has(place) {
            do throws(StorageError) {
                return PlaceLock(file: try directory.create(place, [UInt8]().span))
            } catch {
                // Another process was quicker; whether it still has the lock is seen below.
                guard error.reason == .exists else { throw error }
            }
        }
        return PlaceLock(file: try directory.open(place, locking: true, atMost: 0))
    }

    private init(file: consuming Descriptor) {
        self.file = file
    }
}
