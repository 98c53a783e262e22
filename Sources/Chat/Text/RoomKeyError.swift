package import Phrases
import Wire

/// Why a text is no key of a room. It has no part of the text.
package enum RoomKeyError: Error, Hashable, Sendable {
    /// The word of that number, from 1 on, is not in the list; the nearest word that is.
    case unknownWord(Int, nearest: String?)
    /// That many words of the list, where a generated key has eight.
    case wordCount(Int)
    /// Eight words of the list that do not belong together.
    case checksum
    /// It begins with `#`.
    case comment
    case notUTF8
    /// A pass phrase of that many characters.
    case tooShort(Int)
    /// Of that many bytes.
    case tooLong(Int)
    /// Argon2id needs 256 MiB.
    case outOfMemory

    /// A lower-case sentence that names the rule and the figures.
    package var sentence: Sentence {
        switch self {
        case .unknownWord(let number, nil): Sentence(.keyWordUnknown, "\(number)")
        case .unknownWord(let number, .some(let nearest)): Sentence(.keyWordNearest, "\(number)", nearest)
        case .wordCount(let count): Sentence(.keyWordCount, "\(count)")
        case .checksum: Sentence(.keyChecksum)
        case .comment: Sentence(.keyComment)
        case .notUTF8: Sentence(.keyNotUTF8)
        case .tooShort(let count): Sentence(.keyShort, "\(count)", "\(Limits.passPhraseCharacters)")
        case .tooLong(let count): Sentence(.keyLong, "\(count)", "\(Limits.roomKeyBytes)")
        case .outOfMemory: Sentence(.keyMemory)
        }
    }
}
