internal import Phrases
package import Wire

/// The rules for nicknames: 1 to 24 characters in at most 96 bytes, trimmed, on one line (Protocol.md section 2).
package enum Nickname: LineText {
    package static let longest = Limits.nicknameCharacters
    package static let rule = LineRule(
        phrases: LineRule.Phrases(
            bytes: .nicknameBytes, empty: .nicknameEmpty, long: .nicknameLong, dense: .nicknameDense,
            lines: .nicknameLines), code: .invalidNickname, fault: .nickname, longest: longest,
        largest: Limits.nicknameBytes)
}

/// The rules for the reason to be away: 1 to 80 characters in at most 255 bytes, trimmed, on one line (Protocol.md section 6).
package enum AwayReason: LineText {
    package static let longest = Limits.awayReasonCharacters
    package static let rule = LineRule(
        phrases: LineRule.Phrases(
            bytes: .reasonBytes, empty: .reasonEmpty, long: .reasonLong, dense: .reasonDense, lines: .reasonLines),
        code: .invalidReason, fault: .reason, longest: longest,
        largest: Limits.awayReasonBytes)
}

/// The rules for the line about the user: 1 to 80 characters in at most 255 bytes, trimmed, on one line (Protocol.md
/// section 6).
package enum AboutLine: LineText {
    package static let longest = Limits.aboutCharacters
    package static let rule = LineRule(
        phrases: LineRule.Phrases(
            bytes: .aboutBytes, empty: .aboutEmpty, long: .aboutLong, dense: .aboutDense, lines: .aboutLines),
        code: .invalidAbout, fault: .about, longest: longest, largest: Limits.aboutBytes)
}

/// The rules for names of rooms: 1 to 64 characters in at most 256 bytes, trimmed, on one line (Protocol.md section 3).
package enum RoomName: LineText {
    /// The room that a user gets without asking for another.
    package static let lobby = "lobby"

    package static let longest = Limits.roomNameCharacters
    package static let rule = LineRule(
        phrases: LineRule.Phrases(
            bytes: .roomBytes, empty: .roomEmpty, long: .roomLong, dense: .roomDense, lines: .roomLines),
        code: .invalidRoom, fault: .malformed, longest: longest, largest: Limits.roomNameBytes)
}

/// The rules for titles of cards: 1 to 40 characters in at most 255 bytes, trimmed, on one line (Protocol.md section 6).
package enum CardTitle: LineText {
    package static let longest = Limits.cardTitleCharacters
    package static let rule = LineRule(
        phrases: LineRule.Phrases(
            bytes: .titleBytes, empty: .titleEmpty, long: .titleLong, dense: .titleDense, lines: .titleLines),
        code: .invalidCard, fault: .card, longest: longest, largest: Limits.cardTitleBytes)
}

extension Limits {
    /// Characters in a nickname. A longer one leaves no room for the message on a line of 80 columns; a shorter one
    /// cuts real names.
    static let nicknameCharacters = 24
    /// Characters in the reason to be away. A longer one is a message, without a message's rate; a shorter one says
    /// little.
    static let awayReasonCharacters = 80
    /// Bytes in the reason to be away. The payload counts them in one byte, which no larger number fits; a smaller one
    /// shortens reasons in scripts with long characters.
    static let awayReasonBytes = 255
    /// Characters in the line about a user. A longer one does not fit a row of the list of peers; a shorter one says
    /// little.
    static let aboutCharacters = 80
    /// Characters in the name of a room. A longer one does not fit a line; a shorter one refuses names that are in use.
    static let roomNameCharacters = 64
    /// Bytes in the name of a room: 64 characters of any script. A larger one lets names with stacked marks in; a
    /// smaller one shortens names in scripts with long characters.
    package static let roomNameBytes = 256
    /// Characters in the title of a card. A longer one does not fit the row of a card; a shorter one says little.
    static let cardTitleCharacters = 40
    /// Bytes in the title of a card. The payload counts them in one byte, which no larger number fits; a smaller one shortens titles in
    /// scripts with long characters.
    static let cardTitleBytes = 255
}
