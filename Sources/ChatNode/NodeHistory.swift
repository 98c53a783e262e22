import Chat
import Wire

/// History for who joins late, and repair for who missed something (Protocol.md section 7).
extension Node {
    /// A neighbour offers what it keeps of the public conversation.
    func receivedHave(_ body: Range<Int>, on slot: LinkSlot) {
        counts.unexpectedFrames += 1
    }

    /// A neighbour asks for what we offered.
    func receivedWant(_ body: Range<Int>, on slot: LinkSlot) {
        counts.unexpectedFrames += 1
    }
}
