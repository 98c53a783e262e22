internal import ChatNode
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
        /// The node has failed before it was in the room, as without an Avahi daemon where the options ask for it. A later call may succeed.
        case failed
        /// The node has ended before it was in the room: another join has the identity there.
        case ended
    }

    /// The cause.
    public let reason: Reason
    /// One lower-case line for people: the failure and its remedy.
    public let message: String

    /// The message.
    public var description: String { message }

    package init(_ reason: Reason, _ message: String) { (self.reason, self.message) = (reason, message) }

    /// - Parameter port: the one that was asked for; 0 for any.
    init(listeningOn port: UInt16, _ error: TransportError) {
        let cause: String
        switch error {
        case .system(let call, let errno):
            let refusal = SystemError(call: call, errno: errno)
            guard !refusal.isShortage else {
                self.init(.refusedBySystem, StartFailure(listeningOn: port, error).message)
                return
            }
            cause = "\(refusal)"
        case .refused, .unreachable, .timedOut, .reset: cause = "\(error)"
        }
        let remedy = port == 0 ? "see whether the network is up" : "choose another port, or 0"
        let place = port == 0 ? "can not listen" : "can not listen on port \(port)"
        self.init(.portUnavailable, "\(place): \(cause); \(remedy)")
    }

    /// Makes a part that the system may refuse.
    static func naming<Part>(_ make: () throws(SystemError) -> Part) throws(JoinError) -> Part {
        do throws(SystemError) { return try make() } catch {
            throw JoinError(.refusedBySystem, StartFailure(error).message)
        }
    }
}
