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
        let digest = SHA256.hash("earshot/3 number\0", peer.bytes.span)
        let word = digest.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
        storedNumber = SenderNumber.label(word)
        storedSuffix = SenderNumber.label(word / SenderNumber.count)
    }

    private static let count: UInt64 = 9_000

    private static func label(_ word: UInt64) -> UInt16 { UInt16(word % count) + 1_000 }
}

/// The sender numbers that two peers have shared in this run (Protocol.md section 2): at most 9,000, and of whole numbers with
/// their suffixes as many as peers are known.
struct SharedNumbers: Sendable {
    /// A peer whose name changes because another one has the same number.
    struct Renamed: Equatable {
        let peer: PeerID
        /// Its name had a suffix before.
        let hadSuffix: Bool
    }

    private var holders = PackedTable<Int, PeerID>()
    private var shared: Set<Int> = []
    /// The first holder of each whole number, where the number is shared.
    private var wholes = RecentTable<SenderNumber, PeerID>(capacity: Limits.knownPeers)
    private var twins = RecentTable<SenderNumber, Bool>(capacity: Limits.knownPeers)

    func isShared(_ number: Int) -> Bool { !shared.isEmpty && shared.contains(number) }

    /// True if two peers have shared number and suffix: keys are ground for that in a third of a second.
    func isTwin(_ number: SenderNumber) -> Bool { isShared(number.number) && twins[number] != nil }

    /// Notes the number of a peer. The first holder is remembered after it has gone, so that a second one never looks
    /// like the first.
    ///
    /// - Returns: the first holder, when it stops being the only one.
    mutating func add(_ number: SenderNumber, of peer: PeerID) -> Renamed? {
        guard let holder = holders[number.number] else {
            holders[number.number] = peer
            return nil
        }
        guard holder != peer else { return nil }
        let isFirst = shared.insert(number.number).inserted
        if isFirst { wholes.set(holder, for: SenderNumber(of: holder)) }
        let twin = wholes[number].flatMap { $0 == peer ? nil : $0 }
        if twin == nil { wholes.set(peer, for: number) }
        if let twin, twins[number] == nil {
            twins.set(true, for: number)
            return Renamed(peer: twin, hadSuffix: !isFirst)
        }
        return isFirst ? Renamed(peer: holder, hadSuffix: false) : nil
    }
}

/// A number as users write it: four digits, with or without `#`, with or without a suffix and the beginning of the key.
struct NumberLabel {
    let number: Int
    let suffix: Int?
    /// In lower case.
    private let keyDigits: String

    init?(_ text: some StringProtocol) {
        let digits = text.hasPrefix("#") ? Substring(text.dropFirst()) : Substring(text)
        let parts = digits.split(separator: "-", maxSplits: 2, omittingEmptySubsequences: false)
        guard let first = parts.first, let number = NumberLabel.fourDigits(first) else { return nil }
        self.number = number
        guard parts.count > 1 else {
            (suffix, keyDigits) = (nil, "")
            return
        }
        guard let suffix = NumberLabel.fourDigits(parts[1]) else { return nil }
        self.suffix = suffix
        keyDigits = parts.count > 2 ? parts[2].lowercased() : ""
        guard parts.count == 2 || KeyLabel(keyDigits) != nil else { return nil }
    }

    func names(_ key: PeerID, _ other: SenderNumber) -> Bool {
        guard number == other.number, suffix.map({ $0 == other.suffix }) ?? true else { return false }
        return keyDigits.isEmpty || key.hexadecimal.hasPrefix(keyDigits)
    }

    private static func fourDigits(_ text: Substring) -> Int? {
        let isNumber = text.utf8.count == 4 && text.utf8.allSatisfy { (48...57).contains($0) }
        return isNumber ? Int(text) : nil
    }
}

/// A key as users write it: its first 8 hexadecimal digits at least.
struct KeyLabel {
    private let digits: String

    init?(_ text: some StringProtocol) {
        let isKey =
            (PeerName.keyDigits...2 * PeerID.byteCount).contains(text.utf8.count)
            && text.utf8.allSatisfy { (48...57).contains($0) || (65...70).contains($0) || (97...102).contains($0) }
        guard isKey else { return nil }
        digits = text.lowercased()
    }

    func names(_ key: PeerID) -> Bool { key.hexadecimal.hasPrefix(digits) }
}
