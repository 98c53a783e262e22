import Noise
import Wire

/// Decides which of two sessions of our identity continues (Protocol.md section 9).
///
/// The session started last continues, whatever the clocks say: a session that meets a better
/// certificate re-issues its own under a later epoch in its first 15 s, and signs out after that.
struct LoginGuard {
    enum Verdict: Equatable {
        /// Our certificate is the better one: nothing changes.
        case stay
        /// Continue under this epoch.
        case reissue(epoch: UInt64)
        case signOut
    }

    private var reissues = 0

    /// Handles the verified certificate of another session of our identity.
    ///
    /// - Parameter sinceStart: time since this node started.
    mutating func meet(_ theirs: Certificate, ours: Certificate, sinceStart: Duration) -> Verdict {
        guard theirs.isBetter(than: ours) else { return .stay }
        // No epoch is later than the last one.
        guard sinceStart < Limits.reissueTime, reissues < Limits.reissues, theirs.epoch < .max else { return .signOut }
        reissues += 1
        return .reissue(epoch: theirs.epoch + 1)
    }
}

extension Limits {
    /// For how long a starting run outbids an older one of its identity, whatever the clocks say. With a longer one,
    /// two runs contend for longer before one signs out; with a shorter one, the user's new run can lose to a forgotten
    /// old one whose clock is ahead.
    static let reissueTime = Duration.seconds(15)
    /// How often a run does so. With more, two runs that both insist flood the room with certificates; with fewer, one
    /// re-issue that is lost decides.
    static let reissues = 2
}
