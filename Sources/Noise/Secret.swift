/// Secret bytes: in one place, never copied to an array, zeroed when their owner releases them.
@safe package struct Secret: ~Copyable {
    /// Where the bytes are kept.
    package enum Protection: Sendable {
        /// On the heap: for what lives as long as a handshake or a link.
        case transient
        /// Between guard pages and locked, 22 us to allocate: for what lives as long as the program.
        case guarded
    }

    /// The bytes, for C alone.
    let start: UnsafeMutablePointer<UInt8>
    package let count: Int
    private let isGuarded: Bool

    /// Zeros. Falls back to the heap where no guarded memory is to be had.
    init(count: Int, protection: Protection = .transient) {
        let guarded: UnsafeMutablePointer<UInt8>? =
            switch protection {
            case .transient: nil
            case .guarded: unsafe Sodium.allocateGuarded(count)
            }
        unsafe start = guarded ?? .allocate(capacity: count)
        unsafe start.initialize(repeating: 0, count: count)
        isGuarded = unsafe guarded != nil
        self.count = count
    }

    /// A secret that `fill` writes over `count` zeros.
    package init(count: Int, protection: Protection, fill: (inout MutableSpan<UInt8>) -> Void) {
        self.init(count: count, protection: protection)
        write(fill)
    }

    /// The UTF-8 of a text, which stays the caller's.
    package init(copying text: String, protection: Protection) {
        let bytes = Array(text.utf8)
        self.init(count: bytes.count, protection: protection) { memory in
            for index in bytes.indices { memory[index] = bytes[index] }
        }
    }

    /// Random bytes, a fresh key or seed.
    package init(random count: Int, protection: Protection, using randomness: inout Randomness) {
        self.init(count: count, protection: protection) { randomness.fill(&$0) }
    }

    deinit {
        unsafe isGuarded ? Sodium.freeGuarded(start) : Secret.free(start, count)
    }

    /// The bytes, to read in place; a caller that copies them must zero the copy.
    package var span: Span<UInt8> {
        @_lifetime(borrow self)
        get {
            let span = unsafe Span(_unsafeStart: UnsafePointer(start), count: count)
            return unsafe _overrideLifetime(span, borrowing: self)
        }
    }

    /// Whether two secrets are the same bytes.
    package borrowing func isEqual(to other: borrowing Secret) -> Bool { Sodium.areEqual(self, other) }

    /// The first bytes as a secret of their own.
    package func prefix(_ length: Int) -> sending Secret { part(0..<length) }

    /// Some of the bytes as a secret of their own.
    package func part(_ range: Range<Int>) -> sending Secret {
        precondition(range.lowerBound >= 0 && range.upperBound <= count, "a secret has no such part")
        let part = Secret(count: range.count)
        // Byte by byte, because the compiler takes pointers that meet in one call for shared.
        for index in 0..<range.count { unsafe part.start[index] = start[range.lowerBound + index] }
        return part
    }

    /// A copy in guarded memory.
    func guarded() -> sending Secret {
        let copy = Secret(count: count, protection: .guarded)
        // Byte by byte, because the compiler takes pointers that meet in one call for shared.
        for index in 0..<count { unsafe copy.start[index] = start[index] }
        return copy
    }

    private func write(_ fill: (inout MutableSpan<UInt8>) -> Void) {
        var bytes = unsafe MutableSpan(_unsafeStart: start, count: count)
        fill(&bytes)
    }

    private static func free(_ start: UnsafeMutablePointer<UInt8>, _ count: Int) {
        unsafe Sodium.zero(start, count)
        unsafe start.deallocate()
    }
}
