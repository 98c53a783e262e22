import Chat
import Noise
import Wire

/// What becomes of a sealed message: it is for us, or for others, and looked at once (Protocol.md section 8).
struct SealedRelay {
    enum Course: Equatable {
        case forUs
        case forOthers
        /// The very same frame was seen before.
        case repeated
    }

    private let address: [UInt8]
    /// By a digest of the whole frame: an altered copy that comes first must not stop the frame that it was made from.
    private var seen: RecentTable<[UInt8], Void>

    init(me: PeerID, capacity: Int = Limits.sealedSeen) {
        address = SealedMessage.address(of: me)
        seen = RecentTable(capacity: capacity)
    }

    /// - Parameter body: of a frame 9 of legal length.
    mutating func course(of body: [UInt8]) -> Course {
        let digest = SHA256.hash(body.span)
        guard seen[digest] == nil else { return .repeated }
        seen.set((), for: digest)
        return body.starts(with: address) ? .forUs : .forOthers
    }
}
