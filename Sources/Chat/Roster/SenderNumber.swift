internal import Noise
package import Wire

/// The number that users call a peer by: computed from its key, never sent, and no identity (Protocol.md section 2).
package struct SenderNumber: Hashable, Sendable {
    /// As few bytes as they need: there is one for each peer of a crowd.
    private let storedNumber: UInt16
    private let storedSuffix: UInt16

    /// 1000 to 9999.
    package var number: Int { Int(storedNumber) }
    /// 1000 to 9999; shown only if two known peers share `number`.
    package var suffix: Int { Int(storedSuffix) }

    package init(of peer: PeerID) {
        let digest = SHA256.hash("earshot/2 number\0", peer.bytes.span)
        let word = digest.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
        storedNumber = SenderNumber.label(word)
        storedSuffix = SenderNumber.label(word / SenderNumber.count)
    }

    private static let count: UInt64 = 9_000

    private static func label(_ word: UInt64) -> UInt16 { UInt16(word % count) + 1_000 }
}

/// The sender numbers that two peers have shared in this run (Protocol.md section 2): at most 9,000.
struct SharedNumbers: Sendable {
    private var holders = PackedTable<Int, PeerID>()
    private var shared: Set<Int> = []

    func isShared(_ number: Int) -> Bool { !shared.isEmpty && shared.contains(number) }

    /// Notes the number of a peer. The first holder is remembered after it has gone, so that a second one never looks
    /// like the first.
    ///
    /// - Returns: the first holder, when it stops being the only one.
    mutating func add(_ number: Int, of peer: PeerID) -> PeerID? {
        guard let holder = holders[number] else {
            holders[number] = peer
            return nil
        }
        return holder != peer && shared.insert(number).inserted ? holder : nil
    }
}

/// A number as users write it: four digits, with or without `#`, with or without a suffix.
struct NumberLabel {
    let number: Int
    let suffix: Int?

    init?(_ text: some StringProtocol) {
        let digits = text.hasPrefix("#") ? Substring(text.dropFirst()) : Substring(text)
        let parts = digits.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = parts.first, let number = NumberLabel.fourDigits(first) else { return nil }
        self.number = number
        guard parts.count == 2 else {
            suffix = nil
            return
        }
        guard let suffix = NumberLabel.fourDigits(parts[1]) else { return nil }
        self.suffix = suffix
    }

    func names(_ other: SenderNumber) -> Bool {
        number == other.number && (suffix.map { $0 == other.suffix } ?? true)
    }

    private static func fourDigits(_ text: Substring) -> Int? {
        let isNumber = text.utf8.count == 4 && text.utf8.allSatisfy { (48...57).contains($0) }
        return isNumber ? Int(text) : nil
    }
}
