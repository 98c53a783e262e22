import Chat
import Wire

/// Compares our clock with the clocks of peers (Protocol.md section 7).
extension Node {
    /// - Parameter payload: a presence. It is signed when it is sent; other payloads can have waited for a link.
    func compareClocks(with payload: VerifiedPayload) {
        guard case .direct(let peer) = payload.provenance,
            let error = clock.note(payload.payload.timestamp, of: peer, wallClock: scheduler.wallClock)
        else { return }
        emit(.notice(.clockSkew, ClockSkew.warning(error)))
    }
}
