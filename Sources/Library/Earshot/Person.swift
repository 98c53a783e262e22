internal import Chat
internal import Wire

/// A participant of a room, with its name and presence of one moment. Two values are equal if their keys are.
///
/// A value does not change. `Event.changed` has a new one, and `Room.person(id:)` the one of now.
public struct Person: Sendable, Hashable, Identifiable, CustomStringConvertible {
    /// Whether a person is in the room.
    public enum Presence: Sendable, Hashable {
        /// In the room.
        case here
        /// In the room, but away. The reason is what the person wrote, and not safe to show; nil for none.
        case away(reason: String?)
        /// Not in the room any more.
        case left
    }

    /// The public key, 64 hexadecimal digits: the only proof of identity.
    public var id: String { key.hexadecimal }
    /// The name as every face of Earshot shows it, `quiet-otter#4821`: safe to show in a terminal or on a page.
    public let name: String
    /// The nickname as the person sent it; empty while it is not known. Not safe to show.
    public let nickname: String
    /// 1000 to 9999, computed from the key. Two persons may share it.
    public let number: Int
    /// The presence; nil where a value only names a person, as the author of a message. `Room.person(id:)` knows it then.
    public let presence: Presence?
    let key: PeerID

    init(_ name: PeerName, _ presence: Presence? = nil) {
        (self.name, nickname, number, key) = (name.displayName, name.nickname, name.number, name.key)
        self.presence = presence
    }

    init(_ row: Roster.Row) { self.init(row.who, Presence(row.state, reason: row.reason)) }

    /// The name.
    public var description: String { name }

    /// Whether both have one key.
    public static func == (left: Person, right: Person) -> Bool { left.key == right.key }

    /// Hashes the key.
    public func hash(into hasher: inout Hasher) { hasher.combine(key) }
}

extension Person.Presence {
    init(_ state: PresenceState, reason: String?) {
        self =
            switch state {
            case .here: .here
            case .away: .away(reason: reason)
            case .left: .left
            }
    }
}
