internal import Chat
internal import Reactor
internal import Storage

/// The reason why there is no identity. A file is as it was.
public struct IdentityError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The cause, for programs.
    public enum Reason: Sendable, Hashable {
        /// The file can not be read or written, or is open to other users.
        case unusableFile
        /// Another process, or another value of this one, has the identity.
        case inUse
        /// The file has a pass phrase, and another one or none was given; or the file is damaged.
        case wrongPassphrase
        /// A pass phrase is given for a file without one.
        case notSealed
        /// The pass phrase is empty.
        case emptyPassphrase
        /// The system refuses memory, threads or descriptors.
        case refusedBySystem
        /// The system offers no randomness.
        case noRandomness
    }

    /// The cause.
    public let reason: Reason
    /// One lower-case line for people: the failure and its remedy.
    public let message: String

    /// The message.
    public var description: String { message }

    static let noRandomness = IdentityError(
        reason: .noRandomness, message: "libsodium can not start: see whether /dev/urandom is there")

    static let emptyPassphrase = IdentityError(
        reason: .emptyPassphrase, message: "the pass phrase is empty; give one, or nil for a file without one")

    static let invalidPath = IdentityError(reason: .unusableFile, message: "the path has a zero byte; name a file")

    static func notSealed(_ path: String) -> IdentityError {
        let name = DisplayGuard.safe(path)
        return IdentityError(
            reason: .notSealed, message: "\(name) has no pass phrase; give nil, or name a new file to seal")
    }

    private init(reason: Reason, message: String) { (self.reason, self.message) = (reason, message) }

    init(_ error: StorageError) {
        reason =
            switch error.reason {
            case .inUse: .inUse
            case .wrongPhrase, .noPhrase: .wrongPassphrase
            case .outOfMemory: .refusedBySystem
            case .system(let error) where error.isShortage: .refusedBySystem
            case .missing, .exists, .noName, .symbolicLink, .notRegular, .foreign, .exposed, .linked, .tooLarge,
                .exposedDirectory, .foreignDirectory, .unreadable, .system:
                .unusableFile
            }
        message =
            switch error.reason {
            case .noPhrase: "\(DisplayGuard.safe(error.path)) has a pass phrase; give it"
            case .inUse, .wrongPhrase, .outOfMemory, .missing, .exists, .noName, .symbolicLink, .notRegular, .foreign,
                .exposed, .linked, .tooLarge, .exposedDirectory, .foreignDirectory, .unreadable, .system:
                error.description
            }
    }
}
