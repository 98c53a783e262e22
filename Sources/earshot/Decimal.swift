extension FixedWidthInteger {
    /// A number in decimal digits alone: no sign, no space.
    init?(decimal text: some StringProtocol) {
        guard !text.isEmpty, text.utf8.allSatisfy({ $0 >= 48 && $0 <= 57 }) else { return nil }
        self.init(text)
    }
}
