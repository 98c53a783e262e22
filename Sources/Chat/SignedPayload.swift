/// A payload with the very bytes that its author signed, so that nothing is ever re-encoded (Protocol.md section 6).
package struct SignedPayload: Hashable, Sendable {
    package let payload: P2PPayload
    /// `S | sig`, as it came or as it goes.
    let bytes: [UInt8]
}
