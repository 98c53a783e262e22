import CLinux
import Glibc
import Reactor

/// The conditions under which a file is trusted, checked on the open descriptor.
enum FileCheck {
    /// A regular file of our own that no other user can read or change, under one name, and not too large.
    static func file(_ opened: borrowing Descriptor, of place: FilePlace, atMost limit: Int) throws(StorageError) {
        let status = try status(of: opened, place)
        let mode = UInt32(status.st_mode)
        guard mode & UInt32(S_IFMT) == UInt32(S_IFREG) else { throw StorageError(place.path, .notRegular) }
        guard status.st_uid == geteuid() else { throw StorageError(place.path, .foreign(status.st_uid)) }
        guard mode & 0o077 == 0 else { throw StorageError(place.path, .exposed(mode: mode & 0o7777)) }
        guard status.st_nlink == 1 else { throw StorageError(place.path, .linked(Int(status.st_nlink))) }
        guard status.st_size <= limit else { throw StorageError(place.path, .tooLarge) }
    }

    /// A directory of our own or of the system's in which no other user can replace a file. In one with the sticky bit, as
    /// `/tmp`, only its owner can.
    static func directory(_ opened: borrowing Descriptor, of place: FilePlace) throws(StorageError) {
        let status = try status(of: opened, place)
        let mode = UInt32(status.st_mode)
        guard status.st_uid == geteuid() || status.st_uid == 0 else {
            throw StorageError(place.path, .foreignDirectory(place.directory, status.st_uid))
        }
        guard mode & 0o022 == 0 || mode & 0o1000 != 0 else {
            throw StorageError(place.path, .exposedDirectory(place.directory, mode: mode & 0o7777))
        }
    }

    /// The process that has the file locked, if the system tells.
    static func lockHolder(of opened: borrowing Descriptor) -> Int? {
        var status = stat()
        guard unsafe fstat(opened.number, &status) == 0,
            let table = SystemFile.text(at: "/proc/locks", limit: 1 << 20)
        else { return nil }
        return LockTable.holder(in: table, device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
    }

    private static func status(of opened: borrowing Descriptor, _ place: FilePlace) throws(StorageError) -> stat {
        var status = stat()
        let result = unsafe fstat(opened.number, &status)
        _ = try StorageError.naming(place.path) { () throws(SystemError) in try SystemError.check("stat", result) }
        return status
    }
}
