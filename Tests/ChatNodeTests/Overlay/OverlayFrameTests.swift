import Noise
import Testing
import Wire

@testable import ChatNode

/// The codecs of the frames 10 to 14.
@Suite struct OverlayFrameTests {
    private static var hello: Hello {
        var hello = Hello(isOverlay: true)
        (hello.isChosen, hello.isInsisting, hello.isGuest) = (true, false, true)
        (hello.mask, hello.known) = (0xa5, 1_000)
        return hello
    }

    /// Not kept: LeakSanitizer does not find memory that only a case of an enumeration refers to.
    private static var trees: [TreeFrame] {
        [
            .hello(hello), .hello(Hello(isOverlay: false)), .graft(0xff, ids: []),
            .graft(1, ids: (0..<32).map { UInt64($0) << 50 }), .prune(128), .wide(.max, 5), .busy(.full),
            .lacking([]), .lacking((0..<32).map { UInt64($0) << 40 }),
            .loopCheck(LoopCheck(id: .max - 1, mask: 129, linksLeft: 31)),
            .distances(.unknown), .distances(TreeDistances(0, 1, 2, 3, 4, 5, 200, 255)),
        ]
    }

    /// Decodes all of `body` and each part of it, and it with a byte more.
    private func expectExact<Frame: Equatable>(_ frame: Frame, _ bytes: [UInt8], _ read: (Span<UInt8>) -> Frame?) {
        let body = Array(bytes.dropFirst())
        let whole = read(body.span)
        #expect(whole == frame)
        for cut in body.indices {
            let part = read(body.span.extracting(first: cut))
            #expect(part == nil)
        }
        let longer = body + [0]
        let long = read(longer.span)
        #expect(long == nil)
        #expect(bytes.count <= FramePacker.largestFrame)
    }

    @Test(arguments: trees) func `an arrangement of trees is read as it was written, and no other length is`(
        frame: TreeFrame
    ) {
        #expect(frame.bytes.first == 10)
        expectExact(frame, frame.bytes) { TreeFrame($0) }
    }

    @Test func `unknown operations and versions and too many ids are refused; unknown reasons and flags are not`() {
        for body: [UInt8] in [[5], [255, 0], [0, 2, 0, 0, 0, 0], [1, 0, 33] + [UInt8](repeating: 0, count: 264), []] {
            let frame = TreeFrame(body.span)
            #expect(frame == nil)
        }
        let (busy, hello): ([UInt8], [UInt8]) = ([4, 200], [0, 1, 0xe1, 0, 0, 0])
        let (reason, flags) = (TreeFrame(busy.span), TreeFrame(hello.span))
        #expect(reason == .busy(.full))
        #expect(flags == .hello(Hello(isOverlay: true)))
    }

    @Test(arguments: [0, 1, 60]) func `news and the latest are read as they were written`(count: Int) {
        let ids = (0..<count).map { UInt64($0) << 40 | 7 }
        let news = NewsFrame(ids: ids)
        expectExact(news, news.bytes) { NewsFrame($0) }
        for wantsAnswer in [true, false] {
            let latest = LatestFrame(wantsAnswer: wantsAnswer, ids: ids)
            expectExact(latest, latest.bytes) { LatestFrame($0) }
        }
        // News with as many ids as there may be still fit the smallest record.
        #expect(news.bytes.count + Limits.lengthPrefix <= Limits.recordPlaintexts[0])
    }

    @Test func `more ids than there may be, and an answer neither wanted nor not, are refused`() {
        let news: [UInt8] = [61] + [UInt8](repeating: 1, count: 8 * 61)
        let latest: [UInt8] = [0, 101] + [UInt8](repeating: 1, count: 8 * 101)
        let unclear: [UInt8] = [2, 0]
        let frames = (NewsFrame(news.span), LatestFrame(latest.span), LatestFrame(unclear.span))
        #expect(frames.0 == nil && frames.1 == nil && frames.2 == nil)
    }

    @Test func `contacts of both families are read as they were written, with the scope of the link`() throws {
        let peer = try #require(PeerID([UInt8](repeating: 7, count: 32)))
        let linkLocal = [0xfe, 0x80] + [UInt8](repeating: 1, count: 14)
        let contacts = (0..<9).map { number in
            ContactsFrame.NodeContact(
                peer: peer,
                endpoint: number % 2 == 0
                    ? Endpoint(address: [192, 0, 2, UInt8(number)], port: 4_660)
                    : Endpoint(address: linkLocal, port: 1, scope: 3))
        }
        let frame = ContactsFrame(contacts: contacts)
        expectExact(frame, frame.bytes) { ContactsFrame($0, scope: 3) }
        #expect(frame.bytes.count + Limits.lengthPrefix <= Limits.recordPlaintexts[0])
        let elsewhere = Array(frame.bytes.dropFirst())
        let other = ContactsFrame(elsewhere.span, scope: 0)
        #expect(other?.contacts[0] == contacts[0])
        #expect(other?.contacts[1].endpoint.scope == 0)
    }

    @Test func `peers without an endpoint are read behind those with one`() throws {
        let contact = ContactsFrame.NodeContact(peer: ChoiceTown.peer(1), endpoint: ChoiceTown.address(1))
        let frame = ContactsFrame(contacts: [contact], named: (2..<10).map(ChoiceTown.peer))
        let body = Array(frame.bytes.dropFirst())
        #expect(ContactsFrame(body.span, scope: 0) == frame)
        #expect(ContactsFrame(Array(body.dropLast()).span, scope: 0) == nil)
        #expect(ContactsFrame((body + [0]).span, scope: 0) == nil)
    }

    @Test func `a hello tells that links are lacking`() {
        var hello = Hello(isOverlay: true)
        hello.isLacking = true
        let bytes = TreeFrame.hello(hello).bytes
        #expect(bytes[3] == 17 && TreeFrame(Array(bytes.dropFirst()).span) == .hello(hello))
    }

    @Test func `too many contacts, an unknown family and the port 0 are refused`() throws {
        let peer = [UInt8](repeating: 7, count: 32)
        let good = [1] + peer + [4, 192, 0, 2, 1, 0, 1]
        let bad: [[UInt8]] = [
            [1] + peer + [4, 192, 0, 2, 1, 0, 0], [1] + peer + [5, 192, 0, 2, 1, 0, 1],
            [1] + peer + [6, 192, 0, 2, 1, 0, 1], [10] + (0..<10).flatMap { _ in good.dropFirst() },
        ]
        let read = ContactsFrame(good.span, scope: 0)
        #expect(read?.contacts.count == 1)
        for body in bad {
            let frame = ContactsFrame(body.span, scope: 0)
            #expect(frame == nil)
        }
    }

    @Test func `a roster is read as it was written`() {
        let frame = RosterFrame(count: 1_000, digests: (0..<16).map { UInt32.max - $0 })
        expectExact(frame, frame.bytes) { RosterFrame($0) }
    }

    @Test func `random bodies are read as nothing or as what gives them again`() {
        var randomness = Randomness.seeded(24)
        var read = 0
        for _ in 0..<5_000 {
            var body = randomness.bytes(Int.random(in: 0...90, using: &randomness))
            if !body.isEmpty { body[0] &= 7 }
            for bytes in [NewsFrame(body.span)?.bytes, LatestFrame(body.span)?.bytes, RosterFrame(body.span)?.bytes] {
                guard let bytes else { continue }
                read += 1
                #expect(Array(bytes.dropFirst()) == body)
            }
            if let frame = TreeFrame(body.span) {
                let again = Array(frame.bytes.dropFirst())
                let second = TreeFrame(again.span)
                #expect(second == frame)
                read += 1
            }
            _ = ContactsFrame(body.span, scope: 1)
        }
        #expect(read > 100)
    }
}
