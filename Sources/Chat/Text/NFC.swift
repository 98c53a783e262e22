@_spi(_Unicode) internal import Swift

/// Unicode normalization form C (UAX #15), which names and texts take once, when they are composed.
///
/// The standard library normalizes for every comparison of strings, but shows the result only as system programming
/// interface; the other ways are a copy of Unicode's tables that would age apart from the library's own, or
/// Foundation. The toolchain is pinned and this is the only place, so the interface it is.
enum NFC {
    /// The work grows with the input: check its size first.
    static func normalized(_ text: String) -> String {
        if ASCII.holds(text) { return text }
        var result = String.UnicodeScalarView()
        for scalar in text._nfc { result.append(scalar) }
        return String(result)
    }
}
