internal import Chat
internal import Noise
internal import Phrases
internal import Reactor

/// The address of a room: a name, and the key of a private room.
///
/// A literal is an open room: `"lobby"` is `RoomAddress.open("lobby")`. The name is checked when the room is joined.
public struct RoomAddress: Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The name: 1 to 64 characters on one line.
    public let name: String
    private let key: String?

    private init(name: String, key: String?) { (self.name, self.key) = (name, key) }

    /// An open room, as `open(_:)`.
    public init(stringLiteral name: String) { self.init(name: name, key: nil) }

    /// A room that each program on the network can enter by its name.
    public static func open(_ name: String) -> RoomAddress { RoomAddress(name: name, key: nil) }

    /// A room that only the holders of a key can enter.
    ///
    /// - Parameters:
    ///   - name: 1 to 64 characters on one line.
    ///   - key: eight words as `makeKey()` returns them, or a pass phrase of at least 8 characters.
    public static func `private`(_ name: String, key: String) -> RoomAddress { RoomAddress(name: name, key: key) }

    /// A new random key of a private room: eight words joined by hyphens. Its members exchange it over another channel.
    public static func makeKey() -> String { RoomKey.makeText() }

    /// Whether the room has a key.
    public var isPrivate: Bool { key != nil }

    /// The name; never the key.
    public var description: String { name }

    /// The room of this address. A pass phrase takes a second of computing, so it has a thread of its own.
    func open() async throws(JoinError) -> Chat.Room {
        let name: String
        do throws(ChatError) { name = try RoomName.compose(self.name) } catch {
            throw JoinError(.invalidRoom, error.message)
        }
        guard let key else { return Chat.Room(openNamed: name) }
        let loop = try JoinError.naming { () throws(SystemError) in
            let loop = try EventLoop(name: "key")
            try loop.start()
            return loop
        }
        let result = await withCheckedContinuation { end in
            loop.execute { end.resume(returning: Result { () throws(RoomKeyError) in try Self.read(key, for: name) }) }
        }
        await loop.end()
        do throws(RoomKeyError) { return Chat.Room(name, key: try result.get()) } catch {
            throw JoinError(.invalidKey, error.sentence.text(in: .english))
        }
    }

    private static func read(_ key: String, for name: String) throws(RoomKeyError) -> RoomKey {
        try RoomKey(reading: Secret(copying: key), forRoomNamed: name)
    }
}

extension Secret {
    /// The UTF-8 of a text, in memory that is wiped; the text itself is the caller's.
    init(copying text: String) {
        let bytes = Array(text.utf8)
        self.init(count: bytes.count, protection: .guarded) { memory in
            for index in bytes.indices { memory[index] = bytes[index] }
        }
    }
}
