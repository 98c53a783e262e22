internal import Chat
internal import Wire

/// A participant of a room, with its name of one moment. Two values are equal if their keys are.
public struct Person: Sendable, Hashable, Identifiable, CustomStringConvertible {
    /// The public key, 64 hexadecimal digits: the only proof of identity.
    public var id: String { key.hexadecimal }
    /// The name as every face of Earshot shows it, `quiet-otter#4821`: safe to show in a terminal or on a page.
    public let name: String
    /// The nickname as the person sent it; empty while it is not known. Not safe to show.
    public let nickname: String
    /// 1000 to 9999, computed from the key. Two persons may share it.
    public let number: Int
    let key: PeerID

    init(_ name: PeerName) {
        (self.name, nickname, number, key) = (name.displayName, name.nickname, name.number, name.key)
    }

    /// The name.
    public var description: String { name }

    /// Whether both have one key.
    public static func == (left: Person, right: Person) -> Bool { left.key == right.key }

    /// Hashes the key.
    public func hash(into hasher: inout Hasher) { hasher.combine(key) }
}
