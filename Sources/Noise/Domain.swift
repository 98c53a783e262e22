/// The purpose of a hash or a signature: ASCII, ended by one NUL, put before the message so that bytes signed for one
/// purpose are never valid for another (Protocol.md, introduction).
package struct Domain: Sendable, ExpressibleByStringLiteral {
    private let text: StaticString

    /// A literal such as `"earshot/3 payload\0"`.
    package init(stringLiteral text: StaticString) {
        precondition(text.isASCII && text.utf8CodeUnitCount > 1, "a domain is ASCII text and a NUL")
        self.text = text
        precondition(withBytes { $0[$0.count - 1] == 0 }, "a domain ends in a NUL")
    }

    /// Lends the text and its NUL; a literal is never copied.
    func withBytes<R>(_ body: (Span<UInt8>) -> R) -> R {
        text.withUTF8Buffer { unsafe body($0.span) }
    }
}
