import Noise
import Testing
import Wire

@testable import Chat

struct AdmissionTests {
    let relay = PeerID.numbered(500)

    @Test func `a payload from its author's own link is admitted as direct`() throws {
        var alice = Author(seed: 1)
        var gate = Gate()
        let signed = alice.say("hello")
        let payload = try #require(gate.admit(signed).admitted)
        #expect(payload.provenance == .direct(alice.id))
        #expect(payload.payload == signed.payload)
        #expect(payload.signed == signed)
        #expect(gate.admission.admitted == 1)
        #expect(gate.admission.drops.isEmpty)
    }

    @Test func `a relayed payload is admitted by its signature`() throws {
        var alice = Author(seed: 1)
        var gate = Gate()
        let payload = try #require(gate.admit(alice.say("hello"), hops: 1, from: relay).admitted)
        #expect(payload.provenance == .signed(via: relay))
    }

    @Test func `a payload that came over a bridge is known as one and passed on as one`() throws {
        var alice = Author(seed: 1)
        var gate = Gate()
        let frame = alice.say("from afar").frame(hops: 2, isBridged: true).dropFirst()
        let payload = try #require(gate.admit(Array(frame), from: relay, bridge: .known).admitted)
        #expect(payload.provenance == .bridged(via: relay))
        #expect(payload.frame(hops: 3)[1] == 0x83)
        let alone = alice.say("alone").frame(hops: 0, isBridged: true).dropFirst()
        #expect(gate.admit(Array(alone), from: alice.id).text == "dropped malformed")
    }

    @Test func `a payload is relayed as the bytes that were received`() throws {
        var alice = Author(seed: 1)
        var gate = Gate()
        let frame = alice.say("  not trimmed \n").frameBody()
        let payload = try #require(gate.admit(frame, from: alice.id).admitted)
        #expect(payload.payload.content == "not trimmed")
        #expect(payload.signed.frame(hops: 1) == [FrameType.payload.rawValue, 1] + frame.dropFirst())
    }

    @Test func `another author without the mark of a relay closes the link`() {
        var alice = Author(seed: 1)
        var gate = Gate()
        #expect(gate.admit(alice.say("I am Alice"), from: relay).text == "close foreign_author")
        #expect(gate.admit(alice.say("I am Alice"), hops: 1, from: relay).text == "admitted")
    }

    @Test func `each verified payload is made with its proof`() throws {
        var alice = Author(seed: 1)
        let signed = alice.say("hello")
        #expect(VerifiedPayload(signed, onLinkOf: relay) == nil)
        #expect(VerifiedPayload(signed, onLinkOf: alice.id)?.provenance == .direct(alice.id))
        let bytes = Array(signed.signedBytes) + [UInt8](repeating: 0, count: 64)
        #expect(VerifiedPayload(checking: SignedPayload(signed.payload, bytes: bytes), via: relay) == nil)
        #expect(VerifiedPayload(checking: signed, via: relay)?.provenance == .signed(via: relay))
    }

    @Test func `a payload for one peer is verified by its MAC alone`() throws {
        var alice = Author(seed: 1)
        let direct = alice.sign(.dmAccept(target: Gate.me))
        #expect(direct.signature.isEmpty)
        #expect(VerifiedPayload(direct, onLinkOf: alice.id) == nil)
        #expect(VerifiedPayload(checking: direct, via: alice.id) == nil)
        let body = direct.frameBody()
        let payload = try VerifiedPayload(authenticating: PayloadFrame(direct: body.span), under: Gate.key)
        #expect(payload.provenance == .direct(alice.id) && payload.signed == direct)
        #expect(throws: DropReason.falseMAC) {
            try VerifiedPayload(authenticating: PayloadFrame(direct: body.span), under: nil)
        }
        // A signature does not make it one that a third peer could check.
        let signed = Array(direct.signedBytes)
        let signature = alice.identity.sign(domain: "earshot/3 payload\0", message: signed.span)
        let unmasked = [0] + signed + signature
        #expect(throws: DropReason.misdirected) { _ = try PayloadFrame(unmasked.span) }
        let message = alice.say("for all")
        let masked = [1, 1] + Array(message.signedBytes) + Gate.key.mac(of: Array(message.signedBytes).span)
        #expect(throws: DropReason.misdirected) { _ = try PayloadFrame(direct: masked.span) }
    }

    @Test func `a false MAC drops a payload and costs its author a token, and ends no link`() {
        var alice = Author(seed: 1)
        var gate = Gate()
        let link = LiveLink(to: alice.id, epoch: 1)
        let good = alice.sign(.directMessage(target: Gate.me, nickname: "a", text: "yes"))
        var forged = good.frameBody()
        forged[forged.count - 1] ^= 1
        for _ in 0..<5 { #expect(gate.admit(forged, from: .direct(link, Gate.key)).text == "dropped false_mac") }
        #expect(gate.admit(good.frameBody(), from: .direct(link, nil)).text == "dropped false_mac")
        #expect(gate.admission.drops == [.falseMAC: 6])
        #expect(gate.admit(good.frameBody(), from: .direct(link, Gate.key)).text == "admitted")
        #expect(gate.admit(good.frameBody(), from: .direct(link, Gate.key)).text == "repeated")
        for _ in 0..<30 { _ = gate.admit(forged, from: .direct(link, Gate.key)) }
        #expect(gate.admission.drops[.authorRate] ?? 0 > 0)
    }

    @Test func `the numbers for one peer and those for the room are of two streams`() {
        let alice = Author(seed: 1)
        var gate = Gate()
        let body = PayloadBody.publicMessage(stage: .newcomer, nickname: "a", text: "x")
        #expect(gate.admit(alice.sign(body, sequence: 400)).text == "admitted")
        #expect(gate.admit(alice.sign(.dmAccept(target: Gate.me), sequence: 1)).text == "admitted")
        #expect(gate.admit(alice.sign(.dmAccept(target: Gate.me), sequence: 400)).text == "admitted")
        #expect(gate.admit(alice.sign(.dmLeave(target: Gate.me), sequence: 1)).text == "dropped sequence_too_old")
        #expect(gate.admit(alice.sign(.dmLeave(target: Gate.me), sequence: 400)).text == "dropped equivocation")
        #expect(gate.admit(alice.sign(body, sequence: 399)).text == "admitted")
    }

    @Test func `a direct payload becomes a signed one when its signature is verified`() throws {
        var alice = Author(seed: 1)
        var gate = Gate()
        let payload = try #require(gate.admit(alice.say("hello")).admitted)
        let checked = try #require(gate.admission.verifySignature(of: payload).admitted)
        #expect(checked.provenance == .signed(via: alice.id))
        #expect(checked.signed == payload.signed)
        #expect(gate.admission.verifySignature(of: checked).admitted == checked)
    }

    @Test func `a direct payload with a bad signature bans its author when it is checked`() throws {
        var alice = Author(seed: 1)
        var gate = Gate()
        var frame = alice.say("hello").frameBody()
        frame[frame.count - 1] ^= 1
        let payload = try #require(gate.admit(frame, from: alice.id).admitted)
        #expect(gate.admission.verifySignature(of: payload).text == "ban bad_signature")
        #expect(gate.admission.drops[.badSignature] == 1)
    }

    @Test func `the signature of an edit or a deletion is checked at once`() throws {
        var alice = Author(seed: 1)
        var gate = Gate()
        for body in [PayloadBody.edit(target: .numbered(1), text: "x"), .delete(target: .numbered(1))] {
            let payload = try #require(gate.admit(alice.sign(body)).admitted)
            #expect(payload.provenance == .signed(via: alice.id))
            var forged = alice.sign(body).frameBody()
            forged[forged.count - 1] ^= 1
            #expect(gate.admit(forged, from: alice.id).text == "ban bad_signature")
        }
    }

    @Test func `each changed bit of a relayed payload bans the relay or makes the frame malformed`() {
        var alice = Author(seed: 1)
        var gate = Gate(rate: 0)
        let frame = alice.say("pay Bob").frameBody(hops: 1)
        var convicted = 0
        for bit in 8..<frame.count * 8 {
            var forged = frame
            forged[bit / 8] ^= 1 << UInt8(bit % 8)
            switch gate.admit(forged, from: relay) {
            case .ban(.badSignature): convicted += 1
            case .dropped(.otherRoom), .dropped(.malformed), .dropped(.unknownKind), .dropped(.misdirected): break
            case .admitted, .repeated, .dropped, .closeLink, .ban: Issue.record("bit \(bit) was taken")
            }
        }
        #expect(convicted > 1_000)
        #expect(gate.admit(frame, from: relay).text == "admitted")
    }

    @Test func `a relay that signs with its own key in another's name is banned`() {
        let alice = Author(seed: 1)
        let mallory = Author(seed: 2)
        var gate = Gate()
        let header = PayloadHeader(
            room: Author.room, author: alice.id, epoch: 1, sequence: 1, timestamp: Author.wallClock, kind: 1)
        let body = PayloadBody.publicMessage(stage: .newcomer, nickname: "alice", text: "I owe Mallory")
        let signed = header.encoded(with: body.encoded())
        let frame = [1] + signed + mallory.identity.sign(domain: "earshot/3 payload\0", message: signed.span)
        #expect(gate.admit(frame, from: mallory.id).text == "ban bad_signature")
    }

    @Test func `a payload is admitted once, whichever way it comes unasked`() {
        var alice = Author(seed: 1)
        var gate = Gate()
        let signed = alice.say("once")
        #expect(gate.admit(signed).text == "admitted")
        #expect(gate.admit(signed).text == "dropped duplicate")
        #expect(gate.admit(signed, hops: 2, from: relay).text == "dropped duplicate")
        #expect(gate.admission.drops[.duplicate] == 2)
    }

    @Test func `of two payloads with one number the first is admitted`() {
        let alice = Author(seed: 1)
        var gate = Gate()
        let first = alice.sign(.publicMessage(stage: .newcomer, nickname: "a", text: "yes"), sequence: 4)
        let second = alice.sign(.publicMessage(stage: .newcomer, nickname: "a", text: "no"), sequence: 4)
        #expect(gate.admit(first).text == "admitted")
        #expect(gate.admit(second).text == "dropped equivocation")
        #expect(gate.admit(second, hops: 1, from: relay).text == "dropped equivocation")
        #expect(gate.admitHistory(second, from: relay).text == "dropped equivocation")
    }

    @Test func `payloads are admitted in any order within the window`() {
        let alice = Author(seed: 1)
        var gate = Gate()
        let body = PayloadBody.publicMessage(stage: .newcomer, nickname: "a", text: "x")
        #expect(gate.admit(alice.sign(body, sequence: 300)).text == "admitted")
        #expect(gate.admit(alice.sign(body, sequence: 45)).text == "admitted")
        #expect(gate.admit(alice.sign(body, sequence: 44)).text == "dropped sequence_too_old")
        #expect(gate.admit(alice.sign(body, sequence: 299)).text == "admitted")
    }

    @Test func `payloads of another room are dropped`() {
        var alice = Author(seed: 1)
        var gate = Gate()
        alice.room = Room(openNamed: "elsewhere").id
        #expect(gate.admit(alice.say("hello")).text == "dropped other_room")
        #expect(gate.admit(alice.say("hello"), hops: 1, from: relay).text == "dropped other_room")
        #expect(gate.admitHistory(alice.say("hello"), from: relay).text == "dropped other_room")
    }

    @Test func `our own payloads are dropped when they come back`() {
        var me = Author(seed: 1)
        var admission = Admission(room: Author.room, me: me.id)
        let verdict = admission.judge(
            frame: me.say("echo").frameBody(hops: 2).span, from: .live(LiveLink(to: relay, epoch: 1)),
            now: Instant(nanoseconds: 0), wallClock: Author.wallClock)
        #expect(verdict.text == "dropped own_payload")
    }

    @Test func `a payload that passed 7 relays is admitted and one that passed 8 is not`() {
        var alice = Author(seed: 1)
        var gate = Gate()
        #expect(gate.admit(alice.say("far"), hops: 7, from: relay).text == "admitted")
        #expect(gate.admit(alice.say("farther"), hops: 8, from: relay).text == "dropped too_many_hops")
        #expect(gate.admit(alice.say("farthest"), hops: 255, from: relay).text == "dropped too_many_hops")
    }
}
