import Wire

/// The two directions of a finished handshake (Protocol.md section 4; Noise specification 5.1 and 11.3).
///
/// Nonces are counted, never sent: a record that is repeated, reordered, missing or reflected does not open. Any error
/// leaves the session dead, both ways.
package struct Session: ~Copyable {
    struct Directions: ~Copyable {
        var sending: CipherState
        var receiving: CipherState
        /// The key that is to open records from the end of the old one on; nil but between the two.
        var nextReceiving: CipherState?
    }

    /// Nil once dead.
    private(set) var directions: Directions?

    init(keys: consuming DerivedKeys, role: Handshake.Role) {
        switch role {
        case .initiator: self.init(sending: CipherState(key: keys.first), receiving: CipherState(key: keys.second))
        case .responder: self.init(sending: CipherState(key: keys.second), receiving: CipherState(key: keys.first))
        }
    }

    init(sending: consuming CipherState, receiving: consuming CipherState) {
        directions = Directions(sending: sending, receiving: receiving)
    }

    /// The records under the present keys, of the direction with more; 0 once dead.
    package var recordCount: UInt64 { max(recordsSealed, recordsOpened) }

    /// The records that the present key has sealed; 0 once dead.
    package var recordsSealed: UInt64 {
        switch directions {
        case .some(let directions): directions.sending.nonce
        case .none: 0
        }
    }

    /// The records that the present key has opened; 0 once dead.
    package var recordsOpened: UInt64 {
        switch directions {
        case .some(let directions): directions.receiving.nonce
        case .none: 0
        }
    }

    /// Seals with the key of a new handshake from now on, and wipes the one before. Records are opened with the old key until
    /// `switchReceiving`.
    package mutating func switchSending(to next: consuming Session) throws(NoiseError) {
        guard let old = directions.take(), let new = next.directions.take() else { throw .dead }
        directions = Directions(
            sending: new.sending, receiving: old.receiving, nextReceiving: new.receiving)
    }

    /// Opens with the key of the new handshake from now on, and wipes the one before.
    package mutating func switchReceiving() throws(NoiseError) {
        guard let old = directions.take(), let next = old.nextReceiving else { throw .dead }
        directions = Directions(sending: old.sending, receiving: next)
    }

    /// Appends the record `length u16 | ciphertext`, 18 bytes longer than its plaintext of at most 65,519; nothing if
    /// it throws. The plaintext is expected to have a legal size already.
    package mutating func seal(
        _ plaintext: Span<UInt8>, appendingTo output: inout [UInt8]
    ) throws(NoiseError) {
        guard var directions = directions.take() else { throw .dead }
        let start = output.count
        let length = UInt16(truncatingIfNeeded: plaintext.count + Limits.sealOverhead)
        output.append(UInt8(truncatingIfNeeded: length >> 8))
        output.append(UInt8(truncatingIfNeeded: length))
        do throws(NoiseError) {
            try directions.sending.seal(plaintext, data: [], appendingTo: &output)
        } catch {
            output.removeSubrange(start...)
            throw error
        }
        directions.sending.rekeyIfDue()
        self.directions = consume directions
    }

    /// Replaces what `plaintext` held by the plaintext of the next record, whose ciphertext comes without its length;
    /// leaves it empty if it throws. Reuse `plaintext`, and nothing is allocated.
    package mutating func open(
        _ ciphertext: Span<UInt8>, into plaintext: inout [UInt8]
    ) throws(NoiseError) {
        guard var directions = directions.take() else {
            plaintext.removeAll(keepingCapacity: true)
            throw .dead
        }
        try directions.receiving.open(ciphertext, data: [], into: &plaintext)
        directions.receiving.rekeyIfDue()
        self.directions = consume directions
    }
}
