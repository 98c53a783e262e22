internal import Chat
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
    ///   - key: eight words as `makeKey()` returns them, or a pass phrase of at least 8 characters. Any other
    ///     eight words are a pass phrase, and so the key of another room.
    public static func `private`(_ name: String, key: String) -> RoomAddress { RoomAddress(name: name, key: key) }

    /// A new random key of a private room: eight words joined by hyphens. Its members exchange it over another channel.
    public static func makeKey() -> String { RoomKey.makeText() }

    /// Whether the room has a key.
    public var isPrivate: Bool { key != nil }

    /// The name; never the key.
    public var description: String { name }

    /// The room of this address. A pass phrase takes a second of computing.
    func open() async throws(JoinError) -> Chat.Room {
        let name: String
        do throws(ChatError) { name = try RoomName.compose(self.name) } catch {
            throw JoinError(.invalidRoom, error.message)
        }
        guard let key else { return Chat.Room(openNamed: name) }
        let result: Result<RoomKey, RoomKeyError>
        do throws(SystemError) {
            result = try await EventLoop.compute(onThreadNamed: "key") {
                Result { () throws(RoomKeyError) in try RoomKey(reading: key, forRoomNamed: name) }
            }
        } catch {
            throw JoinError(.refusedBySystem, StartFailure(error).message)
        }
        do throws(RoomKeyError) { return Chat.Room(name, key: try result.get()) } catch {
            throw JoinError(.invalidKey, error.sentence.text(in: .english))
        }
    }
}
