/// The label that people call a peer by: computed from its key, never sent, and no identity (Protocol.md section 2).
package struct SenderNumber: Hashable, Sendable {
    /// 1000 to 9999.
    package let number: Int
    /// 1000 to 9999; shown only where two known peers share `number`.
    package let suffix: Int
}
