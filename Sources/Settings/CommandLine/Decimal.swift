extension FixedWidthInteger {
    /// A number in decimal digits alone: no sign, no space.
    package init?(decimal text: some StringProtocol) {
        guard !text.isEmpty, text.utf8.allSatisfy({ $0 >= 48 && $0 <= 57 }) else { return nil }
        self.init(text)
    }
}

extension Double {
    /// Digits with at most one point; the standard initializer would take `nan`, `inf`, `1e99` and `0x10` too.
    package init?(decimal text: String) {
        guard text.utf8.allSatisfy({ ($0 >= 48 && $0 <= 57) || $0 == 46 }) else { return nil }
        self.init(text)
    }
}
