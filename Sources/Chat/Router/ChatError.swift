/// Why an operation that the user asked for was not done. The node and its conversations are unchanged.
package struct ChatError: Error, Hashable, Sendable {
    /// The raw values are the codes in `--json` answers.
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
        case invalidReason = "invalid_reason"
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
