package import Chat
package import Noise
import Wire

/// The sealing and naming of publications of one room (Docs/Bridge.md).
package struct BridgeSeal: Sendable {
    private let key: BridgeKey
    /// Binds boxes to the room.
    private let context: [UInt8]
    /// 16 hexadecimal digits that stand for the room, and under which what is not kept for late joiners is published.
    package let topic: String
    /// As `topic`, for what is kept for late joiners.
    package let historyTopic: String

    package init(_ key: BridgeKey, room: RoomID) {
        self.key = key
        context = Array("earshot/3 bridge box\0".utf8) + room.bytes
        topic = BridgeSeal.topic(key.digest("earshot/3 bridge topic\0", room.bytes))
        historyTopic = BridgeSeal.topic(key.digest("earshot/3 bridge history\0", room.bytes))
    }

    private static func topic(_ digest: [UInt8]) -> String { Hexadecimal.encode(digest.prefix(8)) }

    package func seal(_ content: BridgedContent, using randomness: inout Randomness) -> [UInt8] {
        key.seal(content.encoded(), in: context, using: &randomness)
    }

    /// True if a box has one of the lengths that boxes have, which costs nothing to see.
    static func hasLength(_ box: [UInt8]) -> Bool { Limits.recordPlaintexts.contains(box.count - BridgeKey.overhead) }

    /// Nil for a box that is not of this room and key, or is malformed.
    package func open(_ box: [UInt8]) -> BridgedContent? {
        key.open(box, in: context).flatMap(BridgedContent.init(decoding:))
    }
}
