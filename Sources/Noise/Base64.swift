import CSodium

/// Base64 with padding (RFC 4648 section 4).
package enum Base64 {
    /// - Returns: nil for a text that is none, also for one with a digit too many.
    package static func decode(_ text: String) -> [UInt8]? {
        let digits = text.utf8.map(CChar.init(bitPattern:))
        var bytes = [UInt8](repeating: 0, count: digits.count / 4 * 3)
        var count = 0
        let result: CInt = unsafe bytes.withUnsafeMutableBufferPointer { bytes in
            unsafe digits.withUnsafeBufferPointer { digits in
                guard let start = bytes.baseAddress, let first = digits.baseAddress else {
                    return digits.isEmpty ? 0 : -1
                }
                return unsafe sodium_base642bin(
                    start, bytes.count, first, digits.count, nil, &count, nil, sodium_base64_VARIANT_ORIGINAL)
            }
        }
        return result == 0 ? Array(bytes[..<count]) : nil
    }
}
