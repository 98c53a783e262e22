import Chat
import Noise
import Phrases
import Reactor
import Settings
import Storage
import Wire

/// The room that the command line asks for, with the key that it names.
enum ChosenRoom {
    /// Slow for a pass phrase (`RoomKey`): before any event loop runs.
    static func open(_ choice: RoomChoice) throws(StartFailure) -> Room {
        guard let source = choice.key else { return Room(openNamed: choice.name) }
        let text = try text(from: source)
        do throws(RoomKeyError) {
            return Room(choice.name, key: try RoomKey(reading: text, forRoomNamed: choice.name))
        } catch {
            throw StartFailure("\(place(of: source)): \(error.sentence.text(in: .english))")
        }
    }

    private static func text(from source: RoomKeySource) throws(StartFailure) -> Secret {
        switch source {
        case .descriptor(let number): return try SecretLine.key.take(from: number)
        case .file(let path):
            do throws(StorageError) { return try KeyFile.firstLine(of: path) } catch { throw StartFailure(error) }
        }
    }

    private static func place(of source: RoomKeySource) -> String {
        switch source {
        case .descriptor(let number): "--key-fd \(number)"
        case .file(let path): DisplayGuard.safe(path)
        }
    }
}

/// `earshot room new NAME`: a key for a private room. Nothing is kept of it.
enum RoomCommand {
    /// The words of a new key, joined by hyphens, as a line.
    static func makeKey() -> [UInt8] {
        var randomness = Randomness.system
        let text = RoomKey.generate(using: &randomness)
        return [UInt8](copying: text.span) + [UInt8(ascii: "\n")]
    }
}
