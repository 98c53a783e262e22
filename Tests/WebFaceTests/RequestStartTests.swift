import Testing

@testable import WebFace

@Suite struct RequestStartTests {
    private static let line = "GET / HTTP/1.1\r\n"

    private func reading(_ text: String) -> RequestStart.Reading {
        var start = RequestStart()
        return start.read(Array(text.utf8))
    }

    @Test(arguments: [
        line + "\r\n", line + "Host: x\r\n\r\n", "\r\n\r\n" + line + "\r\n", "GET / HTTP/1.1\nA:b\n\n",
        line + "!#$%&'*+-.^_`|~09azAZ:\r\n\r\n", line + "A: b: c\t\u{e9}\r\n\r\n",
    ])
    func `a head ends at its empty line`(text: String) {
        #expect(reading(text) == .whole)
        // As it comes, byte by byte.
        var start = RequestStart()
        let readings = text.utf8.map { start.read([$0]) }
        #expect(readings.dropLast().allSatisfy { $0 == .unknown })
        #expect(readings.last == .whole)
    }

    @Test(arguments: [
        line + "A: b\0", line + "A\0", "GET /\0", line + "no colon\r", line + "no-colon\r", line + "no-colon\n",
        line + ":", line + " A", line + "A ", line + "A: b\rc", line + "\rA", line + "\u{e9}", "\rG",
        "SSH-2.0-x\r", "GET /\n", "GET / HTTP/2.0\r", "GET / HTTP/1.1 \r", "GET / XHTTP/1.1\r",
    ])
    func `a line that is no field is seen at once`(text: String) { #expect(reading(text) == .bad) }

    @Test func `a field that comes once is not repeated`() {
        for name in ["Sec-Fetch-Site", "last-event-id", "IDEMPOTENCY-KEY"] {
            let once = RequestStartTests.line + "\(name): a\r\n"
            #expect(reading(once + "\(name)x: b\r\n\r\n") == .whole)
            #expect(reading(once + "Other: b\r\n\(name.lowercased()):") == .bad)
        }
        #expect(reading(RequestStartTests.line + "Accept: a\r\nAccept: b\r\n\r\n") == .whole)
    }

    @Test func `bytes behind a head are not looked at`() {
        #expect(reading(RequestStartTests.line + "A: b\r\n\r\n\0\0") == .whole)
        #expect(reading(RequestStartTests.line + "A: b\r\n") == .unknown)
    }
}
