import Noise
import Testing

/// RFC 4648, section 4.
@Suite struct Base64Tests {
    @Test(
        arguments: [
            ("", []), ("AGEAYg==", [0, 97, 0, 98]), ("YWJj", [97, 98, 99]), ("YWI=", [97, 98]), ("/+8=", [255, 239]),
        ]
            as [(String, [UInt8])])
    func `base64 is read`(_ text: String, _ bytes: [UInt8]) { #expect(Base64.decode(text) == bytes) }

    @Test(arguments: ["A", "A===", "====", "YW=j", "YW!j", "YWI", "YWJ=", "YWI=\n", "YWI=YWI="])
    func `a text that is no base64 is refused`(_ text: String) {
        #expect(Base64.decode(text) == nil)
    }
}
