import Noise
import Wire

/// One identity, one place: which of two sessions of our identity goes on (Protocol.md section 9).
///
/// The one that was started last, whatever the clocks say: for 15 s it outbids whom it meets, and later it gives way to
/// whoever outbids it.
struct LoginGuard {
    enum Answer: Equatable {
        /// Ours is the better one: nothing changes here.
        case stay
        /// Go on under this epoch.
        case reissue(epoch: UInt64)
        case signOut
    }

    private var reissues = 0

    /// A certificate of our identity that is not ours was seen, with its signature checked.
    ///
    /// - Parameter sinceStart: how long we have been running.
    mutating func meet(_ theirs: Certificate, ours: Certificate, sinceStart: Duration) -> Answer {
        guard theirs.isBetter(than: ours) else { return .stay }
        // Beyond the last epoch there is none to outbid with.
        guard sinceStart < Limits.reissueTime, reissues < Limits.reissues, theirs.epoch < .max else { return .signOut }
        reissues += 1
        return .reissue(epoch: theirs.epoch + 1)
    }
}
