import CLinux
import Glibc
import Noise
import Reactor

/// A directory that only its owner can change, held open: the checked directory is the one that is used.
///
/// Every file in it is checked in one way (`FileCheck`), and is only ever made whole: under another name first.
struct PrivateDirectory: ~Copyable, Sendable {
    private let descriptor: Descriptor
    private let place: FilePlace

    /// The directory of a file.
    ///
    /// - Throws: `missing` without one; `exposedDirectory` and `foreignDirectory`.
    static func holding(_ place: FilePlace) throws(StorageError) -> PrivateDirectory {
        let number = unsafe Glibc.open(place.directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        if number < 0, errno == ENOENT { throw StorageError(place.path, .missing) }
        let descriptor = try StorageError.naming(place.path) { () throws(SystemError) in try Descriptor("open", number)
        }
        try FileCheck.directory(descriptor, of: place)
        return PrivateDirectory(descriptor: descriptor, place: place)
    }

    /// The directory of a place, made for its owner alone, with its parents, if need be.
    static func making(_ place: FilePlace) throws(StorageError) -> PrivateDirectory {
        for ancestor in place.ancestors where unsafe mkdir(ancestor, 0o700) != 0 && errno != EEXIST {
            throw StorageError(place.path, .system(SystemError.last("mkdir")))
        }
        return try holding(place)
    }

    /// Opens a file and, if asked to, locks it before anything else is looked at.
    ///
    /// - Throws: `missing`, `inUse`, or what is wrong with it.
    func open(_ file: FilePlace, locking: Bool, atMost limit: Int) throws(StorageError) -> Descriptor {
        // Where locks are kept by a server, an exclusive one takes a descriptor that may write.
        var number = unsafe openat(descriptor.number, file.name, O_RDWR | PrivateDirectory.openFlags)
        if number < 0, errno == EACCES || errno == EROFS {
            number = unsafe openat(descriptor.number, file.name, O_RDONLY | PrivateDirectory.openFlags)
        }
        guard number >= 0 else { throw StorageError(file.path, PrivateDirectory.reason(SystemError.last("open"))) }
        let opened = Descriptor(owning: number)
        if locking { try lock(opened, file) }
        try FileCheck.file(opened, of: file, atMost: limit)
        return opened
    }

    /// The bytes of a file that `open` has let through.
    func read(_ opened: borrowing Descriptor, of file: FilePlace, atMost limit: Int) throws(StorageError) -> Secret {
        var count = 0
        var failure: SystemError?
        let number = opened.number
        let bytes = Secret(count: limit + 1, protection: .transient) { bytes in
            unsafe bytes.withUnsafeMutableBytes { buffer in
                while count < buffer.count {
                    let read = unsafe pread(
                        number, buffer.baseAddress?.advanced(by: count), buffer.count - count, count)
                    if read < 0, errno == EINTR { continue }
                    if read < 0 { failure = SystemError.last("read") }
                    if read <= 0 { break }
                    count += read
                }
            }
        }
        if let failure { throw StorageError(file.path, .system(failure)) }
        guard count <= limit else { throw StorageError(file.path, .tooLarge) }
        return bytes.prefix(count)
    }

    /// Makes a file that is not there yet, locked from before it has its name.
    ///
    /// - Throws: `exists`: nothing is overwritten.
    func create(_ file: FilePlace, _ bytes: Span<UInt8>) throws(StorageError) -> Descriptor {
        let name = PrivateDirectory.temporaryName(for: file)
        let made = try write(bytes, to: name, for: file)
        defer { _ = unsafe unlinkat(descriptor.number, name, 0) }
        try lock(made, file)
        guard unsafe linkat(descriptor.number, name, descriptor.number, file.name, 0) == 0 else {
            throw StorageError(file.path, PrivateDirectory.reason(SystemError.last("link")))
        }
        try sync(descriptor, file)
        return made
    }

    /// Replaces a file, or makes it: a reader sees the old or the new one, whole.
    func replace(_ file: FilePlace, _ bytes: Span<UInt8>) throws(StorageError) {
        let name = PrivateDirectory.temporaryName(for: file)
        _ = try write(bytes, to: name, for: file)
        guard unsafe renameat(descriptor.number, name, descriptor.number, file.name) == 0 else {
            let error = SystemError.last("rename")
            _ = unsafe unlinkat(descriptor.number, name, 0)
            throw StorageError(file.path, .system(error))
        }
        try sync(descriptor, file)
    }

    /// Removes a file's name; false if there is none. Its bytes may stay on the disk until they are overwritten.
    func remove(_ file: FilePlace) throws(StorageError) -> Bool {
        guard unsafe unlinkat(descriptor.number, file.name, 0) == 0 else {
            if errno == ENOENT { return false }
            throw StorageError(file.path, .system(SystemError.last("unlink")))
        }
        try sync(descriptor, file)
        return true
    }

    /// Whether anything has that name, whatever it is.
    func has(_ file: FilePlace) -> Bool {
        var status = stat()
        return unsafe fstatat(descriptor.number, file.name, &status, AT_SYMLINK_NOFOLLOW) == 0
    }
}

extension PrivateDirectory {
    /// A pipe is not waited for, and no link is followed.
    private static let openFlags = O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY

    private static func reason(_ error: SystemError) -> StorageError.Reason {
        switch error.errno {
        case ENOENT: .missing
        case EEXIST: .exists
        case ELOOP: .symbolicLink
        case EISDIR, ENXIO: .notRegular
        default: .system(error)
        }
    }

    private static func temporaryName(for file: FilePlace) -> String {
        var randomness = Randomness.system
        return ".\(file.name).\(String(randomness.next(), radix: 16))"
    }

    /// A file of its own that is on the disk when this returns.
    private func write(_ bytes: Span<UInt8>, to name: String, for file: FilePlace) throws(StorageError) -> Descriptor {
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        let number = unsafe openat(descriptor.number, name, flags, 0o600)
        let made = try StorageError.naming(file.path) { () throws(SystemError) in try Descriptor("open", number) }
        do throws(StorageError) {
            try StorageError.naming(file.path) { () throws(SystemError) in
                try PrivateDirectory.write(bytes, to: number)
            }
            try sync(made, file)
        } catch {
            _ = unsafe unlinkat(descriptor.number, name, 0)
            throw error
        }
        return made
    }

    private static func write(_ bytes: Span<UInt8>, to number: CInt) throws(SystemError) {
        var done = 0
        while done < bytes.count {
            let rest = bytes.extracting(done...)
            let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(number, $0.baseAddress, $0.count) }
            if count < 0, errno != EINTR { throw SystemError.last("write") }
            done += max(0, count)
        }
    }

    private func sync(_ opened: borrowing Descriptor, _ file: FilePlace) throws(StorageError) {
        let number = opened.number
        _ = try StorageError.naming(file.path) { () throws(SystemError) in try SystemError.check("fsync", fsync(number))
        }
    }

    private func lock(_ opened: borrowing Descriptor, _ file: FilePlace) throws(StorageError) {
        guard flock(opened.number, LOCK_EX | LOCK_NB) != 0 else { return }
        guard errno == EWOULDBLOCK else { throw StorageError(file.path, .system(SystemError.last("flock"))) }
        throw StorageError(file.path, .inUse(FileCheck.lockHolder(of: opened)))
    }
}
