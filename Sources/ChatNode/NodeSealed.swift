import Chat
import Noise
import Wire

/// Direct messages that go over relays (Protocol.md section 8).
extension Node {
    /// A direct message for somebody, perhaps for us.
    func receivedSealed(_ body: Range<Int>, on slot: LinkSlot) {
        counts.unexpectedFrames += 1
    }
}
