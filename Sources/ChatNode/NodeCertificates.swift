import Chat
import Noise
import Wire

/// Certificates of others than a link's peer, and of ourselves elsewhere (Protocol.md section 9).
extension Node {
    /// A neighbour tells of an identity's certificate.
    func receivedCertificate(_ body: Range<Int>, on slot: LinkSlot) {
        counts.unexpectedFrames += 1
    }

    /// A neighbour knows a better certificate of our own identity.
    func receivedSuperseded(_ body: Range<Int>, on slot: LinkSlot) {
        counts.unexpectedFrames += 1
    }

    /// Sends an author's certificate before the first payload of that author that is passed on on a link.
    func vouch(for author: PeerID, on slot: LinkSlot) {
        guard author != slot.peer, let certificate = certificates[author] else { return }
        guard slot.vouched.insert(author).inserted else { return }
        slot.link.enqueue([FrameType.certificate.rawValue] + certificate.bytes)
    }
}
