import Chat
import Noise
import Wire

/// Classifies sealed messages by recipient and filters repeated ones (Protocol.md section 8).
struct SealedRelay {
    enum Course: Equatable {
        case forUs
        case forOthers
        /// An identical frame was received before.
        case repeated
    }

    private let address: [UInt8]
    /// Keyed by a digest of the whole frame, so that an altered copy that arrives first does not suppress the original.
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

extension Limits {
    /// Sealed messages that a relay remembers, so that it passes each on once; the oldest goes. More cost memory; with
    /// fewer, one that returns by another way is passed on again.
    static let sealedSeen = 4_096
}
