/// The reason why a handshake, a session or a sealed message ended. The other side does not learn it.
package enum NoiseError: Error, Equatable {
    /// Not genuine: altered, out of order, of another session, or for another peer.
    case decryptionFailed
    /// A public key of low order.
    case invalidKey
    /// A message shorter than its keys and seals.
    case messageTooShort
    /// A message beyond the 65,535 bytes of Noise.
    case messageTooLong
    /// The keys have sealed as many messages as they may.
    case nonceExhausted
    /// It is the other side's turn, or the handshake is over or not over.
    case outOfTurn
    /// An earlier error has ended this state.
    case dead
}
