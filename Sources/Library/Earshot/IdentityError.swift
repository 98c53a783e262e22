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
        message = error.description
    }
}
