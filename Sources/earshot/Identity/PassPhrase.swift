import Reactor
import Noise

/// Takes a pass phrase from the terminal or from a descriptor, into memory that is wiped: never from the command line or the
/// environment, which others can read.
enum PassPhrase {
    /// The first line of a descriptor that the caller has opened, or what is typed at the terminal.
    static func take(from descriptor: CInt?, for file: String) throws(StartFailure) -> Secret {
        guard let descriptor else { return try HiddenQuestion.ask("pass phrase for \(file): ") }
        return try SecretLine.passPhrase.take(from: descriptor)
    }

    /// A pass phrase for a new file: typed twice, because it is not shown.
    static func takeNew(from descriptor: CInt?, for file: String) throws(StartFailure) -> Secret {
        let phrase = try take(from: descriptor, for: file)
        guard descriptor == nil else { return phrase }
        let again = try HiddenQuestion.ask("the same again: ")
        guard phrase.isEqual(to: again) else {
            throw StartFailure("the two pass phrases differ, and nothing was made; try again")
        }
        return phrase
    }
}
