/// Shows IP addresses: IPv4 in decimal, IPv6 as RFC 5952 recommends.
enum AddressText {
    /// - Parameter address: 4 or 16 bytes.
    package static func text(_ address: [UInt8]) -> String {
        guard address.count == 16 else { return address.map { "\($0)" }.joined(separator: ".") }
        let groups = stride(from: 0, to: 16, by: 2).map { Int(address[$0]) << 8 | Int(address[$0 + 1]) }
        let texts = groups.map { String($0, radix: 16) }
        let gap = longestGap(in: groups)
        guard gap.count > 1 else { return texts.joined(separator: ":") }
        return texts[..<gap.lowerBound].joined(separator: ":") + "::" + texts[gap.upperBound...].joined(separator: ":")
    }

    /// The first of the longest runs of zeros.
    private static func longestGap(in groups: [Int]) -> Range<Int> {
        var best = 0..<0
        var start = 0
        for index in groups.indices {
            if groups[index] != 0 { start = index + 1 }
            if index + 1 - start > best.count { best = start..<index + 1 }
        }
        return best
    }
}
