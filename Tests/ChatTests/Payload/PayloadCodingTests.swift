import Noise
import Testing
import Wire

@testable import Chat

struct PayloadCodingTests {
    func isSigned(_ bytes: [UInt8], by author: PeerID) -> Bool {
        SignedPayload.isSignatureValid(in: bytes.span, by: author)
    }

    /// Whether S with its proof is genuine: its signature, or, of a direct payload, its MAC.
    func isProven(_ bytes: [UInt8], of body: PayloadBody, by author: PeerID) -> Bool {
        guard body.target != nil else { return isSigned(bytes, by: author) }
        let (signed, mac) = (Array(bytes.dropLast(32)), Array(bytes.suffix(32)))
        return Gate.key.isMAC(mac.span, of: signed.span)
    }

    func decode(_ type: PayloadType, _ bytes: [UInt8]) -> PayloadBody? {
        try? PayloadBody(type, decoding: bytes.span)
    }

    @Test(arguments: Bodies.all)
    func `each kind is decoded as it was signed`(body: PayloadBody) throws {
        var author = Author(seed: 1)
        let signed = author.sign(body)
        let decoded = try P2PPayload(decoding: Array(signed.signedBytes).span)
        #expect(decoded == signed.payload)
        #expect(decoded.body == body)
        #expect(decoded.type == body.type)
        #expect(decoded.author == author.id)
    }

    @Test func `the bodies include every kind`() {
        #expect(Set(Bodies.all.map(\.type)) == Set(PayloadType.allCases))
    }

    @Test func `the signed bytes are laid out as Protocol.md says`() throws {
        let author = try #require(PeerID(Array(0..<32)))
        let header = PayloadHeader(
            room: Room.lobby.id, author: author, epoch: 0x0102_0304_0506_0708, sequence: 9,
            timestamp: Timestamp(milliseconds: 1_700_000_000_123), kind: 1)
        let body = PayloadBody.publicMessage(stage: .regular, nickname: "bob", text: "hi")
        let signed = header.encoded(with: body.encoded())
        // Both computed by another program, from Protocol.md section 6.
        let bytes =
            "8a29443c666148f5da75d9b17e30c4c0000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
            + "010203040506070800000000000000090000018bcfe5687b0100080103626f62006869"
        #expect(Hexadecimal.encode(signed) == bytes)
        #expect(MessageID(signed: signed.span).hexadecimal == "178f0c45b67e305708f61e83006162af")
        #expect(try P2PPayload(decoding: signed.span).body == body)
    }

    @Test func `all fields of a decoded payload are there`() {
        var author = Author(seed: 2)
        let payload = author.sign(Bodies.all[0]).payload
        #expect(payload.senderStage == .resident)
        #expect(payload.senderNickname == "quiet-otter")
        #expect(payload.content == "안녕, world")
        #expect(payload.timestamp == Author.wallClock)
        #expect(payload.author == author.id)
        #expect(payload.target == nil)
        #expect(author.sign(.dmAccept(target: Bodies.target)).payload.target == Bodies.target)
        #expect(author.sign(.delete(target: .numbered(2))).payload.targetMessage == .numbered(2))
        #expect(author.sign(.typing(target: nil, isOn: true)).payload.target == nil)
    }

    @Test(arguments: Bodies.all)
    func `a shortened or lengthened payload is refused`(body: PayloadBody) {
        var author = Author(seed: 3)
        let signed = Array(author.sign(body).signedBytes)
        for length in 0..<signed.count {
            #expect(throws: PayloadError.malformed) { try P2PPayload(decoding: Array(signed[..<length]).span) }
        }
        #expect(throws: PayloadError.malformed) { try P2PPayload(decoding: (signed + [0]).span) }
    }

    @Test(arguments: Bodies.all)
    func `a body cut short or too long under a true length is refused or another body`(body: PayloadBody) {
        let bytes = body.encoded()
        for length in 0..<bytes.count {
            let cut = Array(bytes[..<length])
            #expect(decode(body.type, cut) != body)
        }
        #expect(decode(body.type, bytes + [0]) != body)
    }

    @Test(arguments: Bodies.all)
    func `each flipped bit changes the id and invalidates the signature or the MAC`(body: PayloadBody) {
        var author = Author(seed: 4)
        let signed = author.sign(body)
        let bytes = Array(signed.frameBody().dropFirst(body.target == nil ? 1 : 2))
        let end = signed.signedBytes.count
        #expect(isProven(bytes, of: body, by: author.id))
        // All bits of the fixed header and of the signature, and a sample of long bodies.
        for bit in 0..<bytes.count * 8 where bit < 1_200 || bit >= (end * 8) || bit.isMultiple(of: 41) {
            var flipped = bytes
            flipped[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(!isProven(flipped, of: body, by: author.id))
            guard bit < end * 8 else { continue }
            let payload = try? P2PPayload(decoding: Array(flipped[..<end]).span)
            #expect(payload?.messageId != signed.payload.messageId)
        }
    }

    @Test func `a signature is valid for its author alone`() {
        var author = Author(seed: 5)
        let signed = author.say("mine")
        let bytes = Array(signed.signedBytes) + Array(signed.signature)
        #expect(!isSigned(bytes, by: Author(seed: 6).id))
    }

    @Test(
        arguments: [
            (PayloadType.publicMessage, [3, 1, 0x61, 0x62]),  // a stage that does not exist
            (.publicMessage, [0, 9, 0x61, 0x62]),  // a nickname beyond the end
            (.presence, [3, 0, 1, 0x61, 0]),  // a state that does not exist
            (.presence, [0, 0, 1, 0x61]),  // no reason, not even an empty one
            (.presence, [0, 0, 1, 0x61, 0, 0]),  // a byte too many
            (.presence, [1, 0, 1, 0x61, 2, 0x61]),  // a reason beyond the end
            (.presence, [0, 0, 1, 0x61, 1, 0x61]),  // a reason without being away
            (.presence, [2, 0, 1, 0x61, 1, 0x61]),
            (.presence, [0, 0, 1, 0x61, 0, 0, 0]),  // no bridge byte
            (.presence, [0, 0, 1, 0x61, 0, 0, 0, 8]),  // a bit that does not exist
            (.publicMessage, [0, 1, 0x61, 15] + [UInt8](repeating: 1, count: 15) + [0x61]),  // an id of 15 bytes
            (.publicMessage, [0, 1, 0x61, 16] + [UInt8](repeating: 1, count: 15)),  // an id beyond the end
            (.reaction, [UInt8](repeating: 0, count: 48) + [4] + Array("👍🍕🎉👀".utf8)),  // more than three emojis
            (.reaction, [UInt8](repeating: 0, count: 48) + [2] + ([4] + Array("👍".utf8)) + ([4] + Array("👍".utf8))),
            (.reaction, [UInt8](repeating: 0, count: 48) + [1, 8] + Array("👍".utf8)),  // an emoji beyond the end
            (.card, [0, 1, 0x61, 0, 9, 0x61]),  // a title beyond the end
            (.typing, [UInt8](repeating: 0, count: 32) + [2]),  // neither on nor off
            (.delete, [UInt8](repeating: 0, count: 47)),
            (.dmAccept, [UInt8](repeating: 0, count: 33)),
            (.read, [UInt8](repeating: 0, count: 32) + [0]),  // of nothing
            (.read, [UInt8](repeating: 0, count: 32) + [101] + [UInt8](repeating: 0, count: 1_616)),
            (.delivered, [UInt8](repeating: 0, count: 32) + [2] + [UInt8](repeating: 0, count: 16)),
        ] as [(PayloadType, [UInt8])])
    func `a field with an unknown value is refused`(type: PayloadType, body: [UInt8]) {
        #expect(throws: PayloadError.malformed) { try PayloadBody(type, decoding: body.span) }
    }

    @Test func `an emoji that is none, a title that breaks its rule and an unknown colour differ`() {
        let reaction = [UInt8](repeating: 0, count: 48)
        for emoji in ["a", "👍👍", "\u{202e}", "👍\u{301}"] {
            let bytes = reaction + [1, UInt8(emoji.utf8.count)] + Array(emoji.utf8)
            #expect(throws: PayloadError.emoji, "\(emoji)") { try PayloadBody(.reaction, decoding: bytes.span) }
        }
        for card in [[0, 1, 0x61, 8, 1, 0x61, 0x61], [0, 1, 0x61, 0, 1, 0x0a, 0x61], [0, 1, 0x61, 0, 0, 0x61]]
            as [[UInt8]]
        {
            #expect(throws: PayloadError.card) { try PayloadBody(.card, decoding: card.span) }
        }
    }

    @Test func `a kind of a later version differs from a malformed payload`() {
        var author = Author(seed: 7)
        let frame = author.frame(kind: 99, body: [1, 2, 3])
        let signed = Array(frame[1..<frame.count - 64])
        #expect(throws: PayloadError.unknownKind(99)) { try P2PPayload(decoding: signed.span) }
    }

    @Test func `random bodies never trap`() {
        var randomness = Randomness.seeded(8)
        for type in PayloadType.allCases {
            for _ in 0..<300 {
                let bytes = randomness.bytes(Int.random(in: 0...120, using: &randomness))
                _ = try? PayloadBody(type, decoding: bytes.span)
            }
        }
    }

    @Test func `the largest payload fits into a record`() throws {
        var author = Author(seed: 9)
        let text = String(repeating: "क्षिकि", count: 80)
        _ = try Text.compose(text)
        let nickname = String(repeating: "😀", count: 24)
        let bytes = [UInt8](repeating: 0x61, count: Limits.messageBytes)
        let frame = author.sign(.dmRequest(target: Bodies.target, nickname: nickname, text: text)).frameBody()
        #expect(1 + frame.count - text.utf8.count + bytes.count <= FramePacker.largestFrame)
        let receipt = PayloadBody.read(target: Bodies.target, ids: (0..<100).map { .numbered($0) })
        #expect(1 + author.sign(receipt).frameBody().count <= FramePacker.largestFrame)
    }

    @Test func `a text for one peer is as long as the same text for the room`() {
        var author = Author(seed: 10)
        let direct = author.sign(.directMessage(target: Bodies.target, nickname: "otter", text: "hello"))
        let message = author.sign(.publicMessage(stage: .newcomer, nickname: "otter", text: "hello"))
        #expect(direct.frameBody().count == message.frameBody().count)
    }
}
