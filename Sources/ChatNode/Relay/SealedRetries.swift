import Chat
import Wire

/// When what was sealed for a peer of a crowd is sealed again, because a path may have ended (Protocol.md section 13).
struct SealedRetries {
    private struct Retry {
        var tries: Int
        var at: Instant
    }

    private var retries: [PeerID: Retry] = [:]

    var count: Int { retries.count }
    var nextDeadline: Instant? { retries.values.map(\.at).min() }

    /// Something that waits for a receipt was sealed for a peer.
    mutating func recordSealed(for peer: PeerID, now: Instant) {
        guard retries[peer] == nil, retries.count < Limits.directConversations else { return }
        retries[peer] = Retry(tries: 1, at: now + Limits.sealedRetry)
    }

    /// The peers whose payloads are to be sealed again unless their receipts have come, in the order of their keys.
    mutating func takeDue(now: Instant, isWaiting: (PeerID) -> Bool) -> [PeerID] {
        let due = retries.filter { $0.value.at <= now }.keys.sorted()
        return due.filter { peer in
            guard var retry = retries[peer], retry.tries < Limits.sealedTries, isWaiting(peer) else {
                retries[peer] = nil
                return false
            }
            retry.at = now + Limits.sealedRetry * (1 << retry.tries)
            retry.tries += 1
            retries[peer] = retry
            return true
        }
    }

    mutating func end() { self = SealedRetries() }
}

extension Limits {
    /// In a crowd, from a sealed message without a receipt to the next try; the pause doubles. A shorter one repeats
    /// messages whose receipts are on their way; a longer one delays a message that was lost.
    static let sealedRetry = Duration.seconds(4)
    /// Times that a message is sealed before it waits for a newer presence of its peer. More cost relays traffic for a
    /// peer that is gone; with fewer, two lost copies in a row leave it waiting.
    static let sealedTries = 4
}
