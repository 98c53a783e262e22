internal import Reactor

/// The reason why a room was not joined. Nothing has changed.
public struct JoinError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The cause, for programs.
    public enum Reason: Sendable, Hashable {
        /// The name of the room breaks a rule.
        case invalidRoom
        /// The text of the key is damaged or too short.
        case invalidKey
        /// The nickname breaks a rule.
        case invalidNickname
        /// A named peer of the options is not written as `HOST:PORT`.
        case invalidPeer
        /// The options name a network interface that the machine does not have.
        case noInterface
        /// The file of the identity can not be written.
        case identityUnusable
        /// The port can not be listened on.
        case portUnavailable
        /// The system refuses descriptors, threads or memory.
        case refusedBySystem
        /// The node ended before it was in the room.
        case ended
    }

    /// The cause.
    public let reason: Reason
    /// One lower-case line for people: the failure and its remedy.
    public let message: String

    /// The message.
    public var description: String { message }

    package init(_ reason: Reason, _ message: String) { (self.reason, self.message) = (reason, message) }

    /// Makes a part that the system may refuse.
    static func naming<Part>(_ make: () throws(SystemError) -> Part) throws(JoinError) -> Part {
        do throws(SystemError) { return try make() } catch {
            throw JoinError(.refusedBySystem, StartFailure(error).message)
        }
    }
}
