internal import Phrases
import Wire

/// The rules for names of rooms: 1 to 64 characters in at most 256 bytes, trimmed, on one line (Protocol.md section 3).
package enum RoomName {
    /// The room that a user gets without asking for another.
    package static let lobby = "lobby"

    private static let rule = LineRule(
        phrases: LineRule.Phrases(
            bytes: .roomBytes, empty: .roomEmpty, long: .roomLong, dense: .roomDense, lines: .roomLines),
        code: .invalidRoom, fault: .malformed, longest: Limits.roomNameCharacters, largest: Limits.roomNameBytes)

    /// The name as all nodes of the room have it: trimmed and normalized.
    ///
    /// - Throws: `invalid_room`, with the rule and the figures.
    package static func compose(_ name: String) throws(ChatError) -> String { try rule.compose(name) }
}
