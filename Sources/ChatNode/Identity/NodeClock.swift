import Chat
import Wire

/// Comparing clocks with the peers (Protocol.md section 7).
extension Node {
    /// - Parameter payload: a presence, which is signed when it is sent, unlike what may have waited for a link.
    func compareClocks(with payload: VerifiedPayload) {
        guard case .direct(let peer) = payload.provenance,
            let error = clock.note(payload.payload.timestamp, of: peer, wallClock: scheduler.wallClock)
        else { return }
        emit(.notice(.clockSkew, ClockSkew.warning(error)))
    }
}
