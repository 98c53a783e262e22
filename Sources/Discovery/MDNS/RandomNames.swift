import ChatNode
import Wire

/// Names that say nothing about their owner: 128 random bits in base32 (Protocol.md section 10).
enum RandomNames {
    static let length = 26

    /// 26 characters of `a-z2-7`.
    static func draw(using generator: inout some RandomNumberGenerator) -> String {
        let words: [UInt64] = [generator.next(), generator.next()]
        return Base32.encode(words.flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) } })
    }

    /// The instance name as tables key it, or nil if it is none that a node draws: 26 base32 characters of either case.
    static func canonical(_ instance: String) -> String? {
        guard instance.utf8.count == length else { return nil }
        return canonical(Array(instance.utf8)[...])
    }

    /// A label in that form.
    static func canonical(_ label: ArraySlice<UInt8>) -> String? {
        guard label.count == length else { return nil }
        let lowered = label.map { (65...90).contains($0) ? $0 + 32 : $0 }
        guard lowered.allSatisfy({ (97...122).contains($0) || (50...55).contains($0) }) else { return nil }
        return String(decoding: lowered, as: UTF8.self)
    }
}
