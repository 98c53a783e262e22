import Chat
import Commands
import Phrases
import Wire

/// How many characters a line has left before it is too long to send.
enum LengthHint {
    /// The hint shows from this many characters on.
    package static let told = 200

    /// For example `17 characters left`; nil while there are many, and for commands that send nothing.
    ///
    /// - Parameter nickname: the user's own, which `/me` sends with the text.
    static func note(on line: String, nickname: String, in language: Language) -> String? {
        guard line.utf8.count >= told - nickname.utf8.count,
            let text = (try? Command(line: line))?.saidText(by: nickname)
        else { return nil }
        let count = text.drop(while: \.isWhitespace).count
        guard count >= told else { return nil }
        let left = Limits.messageCharacters - count
        return left >= 0 ? language(.charactersLeft, "\(left)") : language(.charactersOver, "\(-left)")
    }
}
