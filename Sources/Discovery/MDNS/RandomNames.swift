import ChatNode

/// Names that say nothing about their owner: 128 random bits in base32 (Protocol.md section 10).
enum RandomNames {
    static let length = 26
    private static let alphabet = Array("abcdefghijklmnopqrstuvwxyz234567".utf8)

    /// 26 characters of `a-z2-7`.
    static func draw(using generator: inout some RandomNumberGenerator) -> String {
        var text = ""
        var bits = UInt128(generator.next()) << 64 | UInt128(generator.next())
        for _ in 0..<length {
            text.unicodeScalars.append(Unicode.Scalar(alphabet[Int(bits & 31)]))
            bits >>= 5
        }
        return text
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
