import Noise
import Testing
import Wire

@testable import Chat

/// Sealed payloads over relays, from author to admission (Protocol.md section 8).
struct SealedMessageTests {
    private let relay = PeerID.numbered(500)

    private func key(_ seed: UInt64) -> KeyPair {
        var randomness = Randomness.seeded(seed)
        return KeyPair.generate(using: &randomness, protection: .transient)
    }

    private func certificate(of author: borrowing Author, epoch: UInt64? = nil) -> Certificate {
        Certificate.issue(
            by: author.identity, noise: key(90).publicKey, dm: key(91).publicKey, epoch: epoch ?? author.epoch,
            serial: 1)
    }

    /// The content that the target finds in the frame.
    private func opened(_ payload: SignedPayload, _ certificate: Certificate) -> [UInt8] {
        certificate.bytes + payload.frameBody() + [0, 0, 0]
    }

    private func admit(_ opened: [UInt8], by gate: inout Gate, via link: PeerID? = nil) -> String {
        do throws(DropReason) {
            let content = try SealedContent(opened)
            return gate.admit(content.frame, from: .sealed(from: link ?? relay, by: content.certificate, Gate.key)).text
        } catch {
            return "no content: \(error.rawValue)"
        }
    }

    private func toMe(_ text: String) -> PayloadBody {
        .directMessage(target: Gate.me, nickname: "alice", text: text)
    }

    @Test func `every kind of a direct conversation, and edits, are admitted as sealed`() throws {
        for kind in PayloadType.allCases where ![.publicMessage, .presence, .card].contains(kind) {
            var alice = Author(seed: 1)
            var gate = Gate()
            let payload = alice.sign(Bodies.of(kind, to: Gate.me))
            let verdict = admit(opened(payload, certificate(of: alice)), by: &gate)
            #expect(verdict == (kind.maySeal ? "admitted" : "dropped misdirected"), "\(kind)")
        }
        let sealed = PayloadType.allCases.filter(\.maySeal)
        #expect(
            sealed == [
                .edit, .delete, .reaction, .dmRequest, .dmAccept, .dmLeave, .directMessage, .delivered, .read,
                .invitation,
            ])
    }

    @Test func `a sealed payload is admitted whenever it comes, once`() throws {
        var gate = Gate()
        var alice = Author(seed: 1)
        let sealed = certificate(of: alice)
        alice.time = Timestamp(milliseconds: 1)
        let (first, leave) = (alice.sign(toMe("hello")), alice.sign(.dmLeave(target: Gate.me)))
        alice.time = Timestamp(milliseconds: .max)
        #expect(admit(opened(alice.sign(toMe("from the future")), sealed), by: &gate) == "admitted")
        alice.sequence = 500
        #expect(admit(opened(alice.sign(toMe("later")), sealed), by: &gate) == "admitted")
        // Its author sends a text until it is acknowledged, however much it says meanwhile; the end of a conversation once.
        #expect(admit(opened(first, sealed), by: &gate) == "admitted")
        #expect(admit(opened(first, sealed), by: &gate) == "repeated")
        #expect(admit(opened(leave, sealed), by: &gate) == "dropped sequence_too_old")
        let other = alice.sign(toMe("another"), sequence: 501)
        #expect(admit(opened(other, sealed), by: &gate) == "dropped equivocation")
    }

    @Test func `sealed provenance differs from direct, and counts as much in a direct conversation`() throws {
        var alice = Author(seed: 1)
        var gate = Gate()
        let content = try SealedContent(opened(alice.sign(toMe("hello")), certificate(of: alice)))
        let verdict = gate.admit(content.frame, from: .sealed(from: relay, by: content.certificate, Gate.key))
        let payload = try #require(verdict.admitted)
        #expect(payload.provenance == .sealed(via: relay))
    }

    @Test func `a frame is opened by its target alone, and fills a record`() throws {
        let bob = key(5)
        var alice = Author(seed: 1)
        var bobs = Author(seed: 2)
        bobs.epoch = 3
        let target = Certificate.issue(
            by: bobs.identity, noise: key(6).publicKey, dm: bob.publicKey, epoch: 3, serial: 1)
        var randomness = Randomness.seeded(7)
        for (length, size) in [(1, 510), (108, 510), (109, 1_278), (876, 1_278), (877, 4_094)] {
            let text = String(repeating: "é", count: length / 2) + (length.isMultiple(of: 2) ? "" : "x")
            let payload = VerifiedPayload(
                signing: .dmRequest(target: bobs.id, nickname: "n", text: text), by: alice.identity, in: Author.room,
                epoch: 1, sequence: 1, timestamp: Author.wallClock)
            let frame = try #require(
                SealedMessage.frame(
                    sealing: payload, under: Gate.key, with: certificate(of: alice), to: target, using: &randomness))
            #expect(frame.count == size, "\(length) bytes")
            let body = Array(frame.dropFirst())
            let content = try SealedContent(SealedMessage.open(body.span, for: bobs.id, with: bob))
            #expect(content.certificate.identity == alice.id)
            #expect(throws: NoiseError.self) { try SealedMessage.open(body.span, for: alice.id, with: bob) }
            #expect(throws: NoiseError.self) { try SealedMessage.open(body.span, for: bobs.id, with: key(6)) }
        }
        _ = alice.say("the author is still there")
    }

    @Test func `the longest message fits a frame`() throws {
        let alice = Author(seed: 1)
        let body = PayloadBody.directMessage(
            target: Gate.me, nickname: String(repeating: "n", count: Limits.nicknameBytes),
            text: String(repeating: "x", count: Limits.messageBytes))
        let payload = VerifiedPayload(
            signing: body, by: alice.identity, in: Author.room, epoch: 1, sequence: 1, timestamp: Author.wallClock)
        let certificate = certificate(of: alice)
        var randomness = Randomness.seeded(7)
        let frame = SealedMessage.frame(
            sealing: payload, under: Gate.key, with: certificate, to: certificate, using: &randomness)
        #expect(frame?.count == 4_094)
    }

    @Test func `a fault in a sealed payload drops it and bans no neighbour`() {
        var alice = Author(seed: 1)
        var mallory = Author(seed: 2)
        var gate = Gate()
        let good = alice.sign(toMe("hello"))
        let own = certificate(of: alice)
        #expect(admit(opened(good, certificate(of: mallory)), by: &gate) == "dropped bad_certificate")
        #expect(admit(opened(good, certificate(of: alice, epoch: 2)), by: &gate) == "dropped wrong_epoch")
        let other = alice.sign(.directMessage(target: relay, nickname: "alice", text: "not for you"))
        #expect(admit(opened(other, own), by: &gate) == "dropped misdirected")
        var forged = opened(good, own)
        forged[Certificate.byteCount + 80] ^= 1
        #expect(admit(forged, by: &gate) == "dropped false_mac")
        alice.room = Room(openNamed: "attic").id
        #expect(admit(opened(alice.sign(toMe("wrong room")), own), by: &gate) == "dropped other_room")
        #expect(admit(opened(good, own), by: &gate) == "admitted")
        _ = mallory.say("still here")
    }

    @Test func `a sealed payload received again is repeated if its author waits for a receipt, and dropped if not`() {
        var alice = Author(seed: 1)
        var gate = Gate()
        let own = certificate(of: alice)
        let text = opened(alice.sign(toMe("hello")), own)
        let answer = opened(alice.sign(.dmAccept(target: Gate.me)), own)
        let verdicts = [text, answer, text, answer].map { admit($0, by: &gate) }
        #expect(verdicts == ["admitted", "admitted", "repeated", "dropped duplicate"])
        #expect(gate.admission.drops == [.duplicate: 2])
    }

    @Test func `one author is held to its rates over all ways`() {
        var alice = Author(seed: 1)
        var gate = Gate()
        let own = certificate(of: alice)
        var verdicts: [String: Int] = [:]
        for number in 0..<60 {
            let link = PeerID.numbered(600 + UInt64(number % 6))
            verdicts[admit(opened(alice.sign(toMe("\(number)")), own), by: &gate, via: link), default: 0] += 1
        }
        #expect(verdicts == ["admitted": 20, "dropped author_rate": 40])
    }

    @Test func `one link is held to the relaying rate, and to five new authors`() {
        var gate = Gate()
        let verdicts = (1...9 as ClosedRange<UInt64>).map { seed in
            var author = Author(seed: seed)
            return admit(opened(author.sign(toMe("hello")), certificate(of: author)), by: &gate)
        }
        #expect(verdicts.count { $0 == "admitted" } == 5)
        #expect(verdicts.count { $0 == "dropped new_author_rate" } == 4)
    }

    @Test func `prefixes, random bytes and non-zero padding are refused`() throws {
        var alice = Author(seed: 1)
        let own = certificate(of: alice)
        let whole = opened(alice.sign(toMe("hello")), own)
        for count in 0..<whole.count - 3 {
            #expect(throws: DropReason.malformed) { try SealedContent(Array(whole.prefix(count))) }
        }
        #expect(throws: DropReason.malformed) { try SealedContent(whole + [1]) }
        var randomness = Randomness.seeded(3)
        for _ in 0..<500 {
            let bytes = randomness.bytes(Int.random(in: 0..<700, using: &randomness))
            #expect(throws: DropReason.self) { try SealedContent(bytes) }
        }
    }
}

@Suite struct RelayPathsTests {
    private func peer(_ number: UInt64) -> PeerID { .numbered(number) }

    @Test func `the latest four neighbours lead to a peer`() {
        var paths = RelayPaths()
        for neighbour in [1, 2, 3, 4, 5, 2] as [UInt64] { paths.record(peer(100), via: peer(neighbour)) }
        #expect(paths[peer(100)] == [3, 4, 5, 2].map { peer($0) })
        #expect(paths[peer(101)].isEmpty)
    }

    @Test func `a neighbour without a link leads to no peer`() {
        var paths = RelayPaths()
        paths.record(peer(100), via: peer(1))
        paths.record(peer(101), via: peer(1))
        paths.record(peer(101), via: peer(2))
        paths.lose(peer(1))
        #expect(paths[peer(100)].isEmpty)
        #expect(paths[peer(101)] == [peer(2)])
        #expect(paths.count == 1)
    }

    @Test func `a full table takes no new peer`() {
        var paths = RelayPaths(capacity: 2)
        for number in 100..<110 as Range<UInt64> { paths.record(peer(number), via: peer(1)) }
        #expect(paths.count == 2)
        paths.record(peer(100), via: peer(2))
        #expect(paths[peer(100)] == [peer(1), peer(2)])
    }
}

extension Bodies {
    /// A body of a kind, for `target` if the kind has one.
    static func of(_ kind: PayloadType, to target: PeerID) -> PayloadBody {
        switch kind {
        case .publicMessage: .publicMessage(stage: .newcomer, nickname: "n", text: "hello")
        case .presence: .presence(Presence(.here, stage: .newcomer, nickname: "n"))
        case .typing: .typing(target: target, isOn: true)
        case .edit: .edit(to: target, target: .numbered(1), text: "better")
        case .delete: .delete(to: target, target: .numbered(1))
        case .reaction: .reaction(to: target, target: .numbered(1), emojis: ["👍"])
        case .card: .card(CardContent(title: "t", text: "hello", color: .teal), stage: .newcomer, nickname: "n")
        case .dmRequest: .dmRequest(target: target, nickname: "n", text: "may I?")
        case .dmAccept: .dmAccept(target: target)
        case .dmDecline: .dmDecline(target: target)
        case .dmLeave: .dmLeave(target: target)
        case .directMessage: .directMessage(target: target, nickname: "n", text: "hello")
        case .delivered: .delivered(target: target, ids: [.numbered(1)])
        case .read: .read(target: target, ids: [.numbered(1)])
        case .invitation: .invitation(target: target, secret: [UInt8](repeating: 7, count: 32), room: "kitchen")
        }
    }
}
