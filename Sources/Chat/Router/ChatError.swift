/// Why something a person asked for was not done. Nothing is lost by it: the node goes on.
package struct ChatError: Error, Hashable, Sendable {
    /// The codes of the command line's contract (Experience.md).
    package enum Code: String, Sendable, CaseIterable {
        case empty
        case tooLong = "too_long"
        case tooManyBytes = "too_many_bytes"
        case tooDense = "too_dense"
        case unknownCommand = "unknown_command"
        case unknownPeer = "unknown_peer"
        case ambiguousPeer = "ambiguous_peer"
        case notConnected = "not_connected"
        case notAccepted = "not_accepted"
        case unknownMessage = "unknown_message"
        case rateLimited = "rate_limited"
        case invalidNickname = "invalid_nickname"
        case invalidUTF8 = "invalid_utf8"
    }

    package let code: Code
    /// One lower-case sentence that names the rule and the figures.
    package let message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }
}
