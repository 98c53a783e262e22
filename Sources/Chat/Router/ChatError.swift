package import Phrases

/// Why an operation that the user asked for was not done. The node and its conversations are unchanged.
package struct ChatError: Error, Hashable, Sendable {
    /// The raw values are the codes in `--json` answers.
    package enum Code: String, Sendable, CaseIterable {
        case empty
        /// The text begins with one slash.
        case isCommand = "is_command"
        case tooLong = "too_long"
        case tooManyBytes = "too_many_bytes"
        case tooDense = "too_dense"
        case unknownCommand = "unknown_command"
        case unknownPeer = "unknown_peer"
        case ambiguousPeer = "ambiguous_peer"
        case notConnected = "not_connected"
        case notAccepted = "not_accepted"
        case unknownMessage = "unknown_message"
        case invalidEmoji = "invalid_emoji"
        /// The user has given the message as many emojis as one may.
        case tooManyReactions = "too_many_reactions"
        case invalidCard = "invalid_card"
        case unknownCard = "unknown_card"
        /// A direct conversation is open, and the command is for its room.
        case directOpen = "direct_open"
        case rateLimited = "rate_limited"
        case invalidNickname = "invalid_nickname"
        case invalidReason = "invalid_reason"
        case invalidAbout = "invalid_about"
        case invalidUTF8 = "invalid_utf8"
        case invalidRoom = "invalid_room"
        case invalidKey = "invalid_key"
        case unknownRoom = "unknown_room"
        case tooManyRooms = "too_many_rooms"
        case onlyRoom = "only_room"
        case roomFailed = "room_failed"
        /// Everything is wiped, and the new identity is not there yet.
        case isAway = "wiped"
        case tooManyContacts = "too_many_contacts"
        /// The command keeps something with an identity, and this run has none that is kept.
        case noIdentity = "no_identity"
    }

    package let code: Code
    /// A lower-case sentence that names the rule and the figures; not made safe for display.
    package let sentence: Sentence

    package init(_ code: Code, _ phrase: Phrase, _ arguments: String...) {
        self.code = code
        sentence = Sentence(phrase: phrase, arguments: arguments)
    }

    package init(_ code: Code, _ sentence: Sentence) { (self.code, self.sentence) = (code, sentence) }

    /// The sentence in English, as programs get it.
    package var message: String { sentence.text(in: .english) }
}
