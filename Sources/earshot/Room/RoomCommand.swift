import Chat
import Noise
import Wire

/// `earshot room new NAME`: a key for a private room. Nothing is kept of it.
enum RoomCommand {
    /// The words of a new key, joined by hyphens, as a line.
    static func makeKey() -> [UInt8] {
        var randomness = Randomness.system
        let text = RoomKey.generate(using: &randomness)
        return [UInt8](copying: text.span) + [UInt8(ascii: "\n")]
    }
}
