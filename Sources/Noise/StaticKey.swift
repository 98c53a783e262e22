/// The node's noise key: one key pair, shared by the handshakes of all its links (Protocol.md section 1).
///
/// A class, because a key pair has one owner and a node has many handshakes; it is zeroed when the last lets go.
package final class StaticKey {
    private(set) var pair: KeyPair

    package var publicKey: PublicKey { pair.publicKey }

    package init(_ pair: consuming KeyPair) {
        self.pair = pair
    }

    /// Zeroes the secret half, at once and for all handshakes.
    package func forget() {
        pair.forget()
    }
}
