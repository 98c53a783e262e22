import Wire

/// The colour that a terminal shows an author's name in: the same for a key at all times and on every machine.
enum AuthorColor {
    /// Of the 256 colours of xterm. Each differs from black and from white by a contrast of 3.8 and more (WCAG 2), so that
    /// it can be read on both; a theme may change the first 16 alone, of which there is none here.
    static let palette = [160, 130, 100, 64, 28, 30, 32, 63, 98, 134, 163, 132]

    package static func of(_ key: PeerID) -> Int { palette[Int(key.words.0 % UInt64(palette.count))] }
}
