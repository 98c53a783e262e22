package import Wire

/// What comes of looking at a signature when it is needed (Protocol.md section 7).
package enum Proof {
    case proven(VerifiedPayload)
    /// It is not kept.
    case absent
    /// Who sent it on its own link is to be convicted; it is not kept any more.
    case forged(by: PeerID)
}
