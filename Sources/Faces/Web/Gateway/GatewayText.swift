import Chat
import Commands
import Phrases

/// The rule for a text that the client of a gateway says: as on standard input, a line that begins with `/` is a command,
/// which gateways do not perform, and `//` begins a text with a slash.
enum GatewayText {
    /// - Throws: `unknown_command` for a command.
    static func said(_ text: String) throws(ChatError) -> String {
        switch try Command(line: text) {
        case .say(let said): return said
        case _: throw ChatError(.unknownCommand, .commandHere)
        }
    }
}
