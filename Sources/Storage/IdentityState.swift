import Noise
package import Wire

/// The state of an identity that is kept from run to run, beside its key.
package struct IdentityState: Hashable, Sendable {
    /// That of the last run (Protocol.md section 9).
    package var epoch: UInt64
    /// Each at most `Limits.markedPeers`, in the order in which they were marked.
    package var verified: [PeerID]
    package var blocked: [PeerID]

    package init(epoch: UInt64 = 0, verified: [PeerID] = [], blocked: [PeerID] = []) {
        self.epoch = epoch
        self.verified = verified
        self.blocked = blocked
    }

    /// More than the longest text has: two full tables of lines of 75 bytes.
    package static let most = 640 << 10

    /// The least epoch that counts as later than the last run.
    package var nextEpoch: UInt64 { epoch == .max ? .max : epoch + 1 }

    /// Reads the text of a state file, which has to be exactly as `write` makes it for the same identity.
    package init(reading text: Span<UInt8>, of identity: PeerID) throws(TextFault) {
        guard !text.isEmpty else { throw .empty }
        var cursor = StrictText(text)
        guard cursor.take("earshot-state-") else { throw .foreign }
        guard cursor.take("1\n") else { throw .unknownForm }
        guard cursor.take("epoch: "), let epoch = cursor.takeNumber(), cursor.take("\n") else { throw .damagedState }
        let verified = try IdentityState.readKeys("verified: ", &cursor)
        let blocked = try IdentityState.readKeys("blocked: ", &cursor)
        let summed = text.extracting(..<cursor.offset)
        guard cursor.take("sum: "), let sum = cursor.takeBytes(IdentityState.sumBytes), cursor.take("\n"),
            cursor.isAtEnd, sum == IdentityState.sum([UInt8](copying: summed), of: identity)
        else { throw .damagedState }
        self.init(epoch: epoch, verified: verified, blocked: blocked)
    }

    /// The text of the file.
    package func write(of identity: PeerID) -> [UInt8] {
        let verified = self.verified.suffix(Limits.markedPeers).map { "verified: \($0.hexadecimal)\n" }
        let blocked = self.blocked.suffix(Limits.markedPeers).map { "blocked: \($0.hexadecimal)\n" }
        let text = Array("earshot-state-1\nepoch: \(epoch)\n\((verified + blocked).joined())".utf8)
        return text + Array("sum: \(Hexadecimal.encode(IdentityState.sum(text, of: identity)))\n".utf8)
    }

    private static let sumBytes = 16

    /// Finds damage, and the state of another identity; it is no protection from a user that can write the file.
    private static func sum(_ text: [UInt8], of identity: PeerID) -> [UInt8] {
        let bytes = identity.bytes + text
        return Array(SHA256.hash("earshot/1 state\0", bytes.span).prefix(sumBytes))
    }

    private static func readKeys(_ label: StaticString, _ cursor: inout StrictText) throws(TextFault) -> [PeerID] {
        var keys: [PeerID] = []
        while cursor.take(label) {
            guard keys.count < Limits.markedPeers, let bytes = cursor.takeBytes(PeerID.byteCount),
                let key = PeerID(bytes), cursor.take("\n")
            else { throw .damagedState }
            keys.append(key)
        }
        return keys
    }
}
