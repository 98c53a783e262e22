import Hub
import Model
import Reactor
import Testing
import Wire

@testable import WebFace

@Suite struct PageCodesTests {
    private let start = Instant.monotonic

    /// The codes of a server, as an object: an expectation can not change a value.
    private final class Entrance {
        private var codes = PageCodes()

        var link: String { codes.link.text }

        func admit(_ code: String, at now: Instant) -> String? { admitted(code, at: now)?.reload }

        func admitted(
            _ code: String, showing shown: ConversationID? = nil, at now: Instant
        ) -> PageCodes.Admission? {
            codes.admit(code, showing: shown, at: now)
        }

        func connected(_ reload: String, at now: Instant) { codes.connected(reload, at: now) }

        func disconnected(_ reload: String, showing shown: ConversationID? = nil, at now: Instant) {
            codes.disconnected(reload, showing: shown, at: now)
        }

        func forgetShown() { codes.forgetShown() }
    }

    @Test func `a reload shows the conversation of its page, and none after a wipe`() throws {
        let codes = Entrance()
        let id = ConversationID(room: 3)
        let link = try #require(codes.admitted(codes.link, at: start))
        #expect(link.shown == nil)
        codes.connected(link.reload, at: start)
        codes.disconnected(link.reload, showing: id, at: start)
        let second = try #require(codes.admitted(link.reload, at: start + .seconds(20)))
        #expect(second.shown == id)
        // A page that is loaded again before it shows anything.
        let third = try #require(codes.admitted(second.reload, at: start + .seconds(21)))
        #expect(third.shown == id)
        let other = ConversationID(room: 4)
        #expect(codes.admitted(third.reload, showing: other, at: start + .seconds(22))?.shown == other)
        #expect(codes.admitted(link.reload, at: start + .seconds(21)) == nil)
        codes.forgetShown()
        #expect(codes.admitted(second.reload, at: start + .seconds(21)).map { $0.shown == nil } == true)
    }

    @Test func `the code of a link is good once, and the next link has another one`() {
        let codes = Entrance()
        let link = codes.link
        #expect(codes.admit(String(repeating: "0", count: 32), at: start) == nil)
        #expect(codes.admit("", at: start) == nil)
        #expect(codes.link == link)
        #expect(codes.admit(link, at: start) != nil)
        #expect(codes.admit(link, at: start) == nil)
        #expect(codes.link != link)
    }

    @Test func `the code of a reload is good while its page is connected, and 20 s longer`() throws {
        let codes = Entrance()
        let reload = try #require(codes.admit(codes.link, at: start))
        codes.connected(reload, at: start)
        codes.connected(reload, at: start)
        let later = start + .seconds(3_600)
        #expect(codes.admit(reload, at: later) != nil)
        codes.disconnected(reload, at: later)
        #expect(codes.admit(reload, at: later + .seconds(100)) != nil)
        codes.disconnected(reload, at: later + .seconds(100))
        #expect(codes.admit(reload, at: later + .seconds(120)) != nil)
        #expect(codes.admit(reload, at: later + .seconds(121)) == nil)
        // A page that never connected, too.
        let other = try #require(codes.admit(codes.link, at: start))
        #expect(codes.admit(other, at: start + .seconds(21)) == nil)
    }

    @Test func `a page that comes back late with the token makes its code good again`() throws {
        let codes = Entrance()
        let reload = try #require(codes.admit(codes.link, at: start))
        #expect(codes.admit(reload, at: start + .seconds(60)) == nil)
        codes.connected(reload, at: start + .seconds(61))
        #expect(codes.admit(reload, at: start + .seconds(600)) != nil)
    }

    @Test func `the pages are bounded: the one that left first is forgotten`() throws {
        let codes = Entrance()
        let first = try #require(codes.admit(codes.link, at: start))
        let second = try #require(codes.admit(codes.link, at: start + .seconds(1)))
        for _ in 2..<PageCodes.mostPages { #expect(codes.admit(codes.link, at: start + .seconds(2)) != nil) }
        #expect(codes.admit(codes.link, at: start + .seconds(3)) != nil)
        #expect(codes.admit(first, at: start + .seconds(3)) == nil)
        #expect(codes.admit(second, at: start + .seconds(3)) != nil)
    }
}
