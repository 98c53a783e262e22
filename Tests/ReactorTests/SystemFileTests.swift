import Glibc
import Testing

@testable import Reactor

/// Text of files that are longer than one read.
@Suite struct SystemFileTests {
    private func withFile(of text: String, _ body: (String) -> Void) throws {
        var name = Array("/tmp/earshot-system-file-XXXXXX".utf8CString)
        let number = unsafe mkstemp(&name)
        try #require(number >= 0)
        let path = String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        defer {
            close(number)
            _ = unsafe unlink(path)
        }
        try #require(unsafe write(number, text, text.utf8.count) == text.utf8.count)
        body(path)
    }

    @Test(arguments: [1, 4_095, 4_096, 4_097, 9_999, 10_000, 20_000])
    func `a text is read up to its limit`(limit: Int) throws {
        let text = (0..<2_500).map { String($0 + 1_000) }.joined()
        try withFile(of: text) { path in
            #expect(SystemFile.text(at: path, limit: limit) == String(text.prefix(limit)))
        }
    }

    @Test func `a file that is not there has no text`() {
        #expect(SystemFile.text(at: "/proc/none") == nil)
    }
}
