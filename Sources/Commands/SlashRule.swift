package import Chat
import Phrases
import Wire

/// The meaning of slashes at the beginning of a text, alike for every face: one begins a command and is never said, two begin a
/// text with a slash. White space and invisible scalars in front of them change nothing.
package enum SlashRule {
    /// A text as it is said: `//x` says `/x`.
    ///
    /// - Throws: `is_command` for a text that begins with one slash.
    package static func said(_ text: String) throws(ChatError) -> String {
        switch Reading(text) {
        case .said(let said): return said
        case .command: throw ChatError(.isCommand, .isCommand)
        }
    }

    /// The action of an edit whose text is written as `/me`; nil for other texts.
    static func action(_ text: String) -> String? {
        guard case .command(let typed) = Reading(text) else { return nil }
        let (name, action) = typed.firstWord()
        // White space behind the name, if there is any, makes it a word of its own.
        guard name.endIndex < typed.endIndex, CommandEntry.find(name) == .me else { return nil }
        return String(action.withoutBlankEnds())
    }

    enum Reading {
        /// Without the first of two slashes.
        case said(String)
        /// Behind the slash.
        case command(Substring)

        init(_ text: String) {
            let seen = Visibility.withoutBlankStart(text)
            guard seen.utf8.first == UInt8(ascii: "/") else {
                self = .said(text)
                return
            }
            // Bytes, because a mark behind a slash is one character with it.
            let behind = Substring(seen.utf8.dropFirst())
            self = behind.utf8.first == UInt8(ascii: "/") ? .said(String(behind)) : .command(behind)
        }
    }
}
