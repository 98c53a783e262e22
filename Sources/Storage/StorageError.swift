package import Reactor

/// A file that is not used, or could not be written: which, and why. Nothing was changed.
package struct StorageError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Reason: Hashable, Sendable {
        /// There is none.
        case missing
        /// There is one already; nothing is overwritten.
        case exists
        /// A path that ends in no name.
        case noName
        case symbolicLink
        /// A directory, a pipe, a device.
        case notRegular
        /// It belongs to the user of that number.
        case foreign(UInt32)
        /// Its permissions let others read or change it.
        case exposed(mode: UInt32)
        /// That many names lead to it.
        case linked(Int)
        /// More bytes than it can have.
        case tooLarge
        /// It is in a directory in which others can replace it.
        case exposedDirectory(String, mode: UInt32)
        case foreignDirectory(String, UInt32)
        /// By the process of that number, if the system tells.
        case inUse(Int?)
        case unreadable(FileFault)
        /// Or the file is damaged.
        case wrongPhrase
        case noPhrase
        /// The pass phrase needs more memory than there is.
        case outOfMemory
        case system(SystemError)
    }

    package let path: String
    package let reason: Reason

    package init(_ path: String, _ reason: Reason) {
        self.path = path
        self.reason = reason
    }

    /// One lower-case line: the failure; the remedy.
    package var description: String {
        switch reason {
        case .missing: "there is no \(path); see whether the name is right"
        case .exists: "\(path) exists and is not overwritten; choose another name"
        case .noName: "\"\(path)\" names no file; give the file a name"
        case .symbolicLink: "\(path) is a symbolic link; name the file that it leads to"
        case .notRegular: "\(path) is not a regular file; choose another"
        case .foreign(let user): "\(path) belongs to user \(user); only files of your own are used"
        case .exposed(let mode):
            "\(path) is open to others, mode \(StorageError.octal(mode)); run chmod 600 \(path), and if others may have "
                + "read it, use it no more"
        case .linked(let count): "\(path) has \(count) hard links; remove the others, or copy it"
        case .tooLarge: "\(path) is larger than such a file can be; see whether it is the right one"
        case .exposedDirectory(let directory, let mode):
            "\(path) is in a directory that others can change, mode \(StorageError.octal(mode)); run chmod go-w "
                + directory
        case .foreignDirectory(let directory, let user):
            "\(path) is in \(directory), which belongs to user \(user); keep it in a directory of your own"
        case .inUse(let process):
            "\(path) is in use by \(process.map { "process \($0)" } ?? "another process"); an identity is in one place "
                + "at a time"
        case .unreadable(let fault): "\(path) \(fault.description)"
        case .wrongPhrase: "wrong pass phrase for \(path), or the file is damaged; try again"
        case .noPhrase: "\(path) needs its pass phrase; run in a terminal, or give it with --passphrase-fd"
        case .outOfMemory: "\(path) can not be opened: its pass phrase takes more memory than there is; close something"
        case .system(let error): "\(path): \(error); see whether the disk and the permissions are in order"
        }
    }

    private static func octal(_ mode: UInt32) -> String {
        let digits = String(mode, radix: 8)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}

extension StorageError {
    /// Tells which file a system call has failed on.
    static func naming<Result: ~Copyable>(
        _ path: String, _ body: () throws(SystemError) -> Result
    ) throws(StorageError) -> Result {
        do throws(SystemError) { return try body() } catch { throw StorageError(path, .system(error)) }
    }
}
