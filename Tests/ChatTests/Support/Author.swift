import Noise
import Wire

@testable import Chat

/// An author that may break every rule.
struct Author: ~Copyable {
    static let room = Room.lobby.id
    static let wallClock = Timestamp(milliseconds: 1_800_000_000_000)

    let identity: Identity
    var epoch: UInt64 = 1
    var sequence: UInt64 = 0
    var room = Author.room
    var time = Author.wallClock

    init(seed: UInt64) {
        var randomness = Randomness.seeded(seed)
        identity = Identity.generate(using: &randomness)
    }

    var id: PeerID { identity.id }

    /// Encodes a body under the next sequence number, and signs one for the room.
    mutating func sign(_ body: PayloadBody) -> SignedPayload {
        sequence += 1
        return sign(body, sequence: sequence)
    }

    func sign(_ body: PayloadBody, sequence: UInt64) -> SignedPayload {
        SignedPayload(body, by: identity, in: room, epoch: epoch, sequence: sequence, timestamp: time)
    }

    mutating func say(_ text: String) -> SignedPayload {
        sign(.publicMessage(stage: .newcomer, nickname: "author", text: text))
    }

    /// The body of a frame 1 with any bytes after the fixed header, validly signed.
    mutating func frame(kind: UInt8, body: [UInt8], hops: UInt8 = 0) -> [UInt8] {
        let signed = encode(kind, body)
        return [hops] + signed + identity.sign(domain: "earshot/3 payload\0", message: signed.span)
    }

    /// The body of a frame 1 that a relay sends, validly signed, whatever the payload is.
    mutating func relayed(_ body: PayloadBody) -> [UInt8] {
        frame(kind: body.type.rawValue, body: body.encoded(), hops: 1)
    }

    /// The body of a frame 16 with any bytes after the fixed header, and a genuine MAC for the gate.
    mutating func directFrame(kind: UInt8, body: [UInt8]) -> [UInt8] {
        let signed = encode(kind, body)
        return [1, 1] + signed + Gate.key.mac(of: signed.span)
    }

    private mutating func encode(_ kind: UInt8, _ body: [UInt8]) -> [UInt8] {
        sequence += 1
        let header = PayloadHeader(
            room: room, author: id, epoch: epoch, sequence: sequence, timestamp: time, kind: kind)
        return header.encoded(with: body)
    }
}

extension SignedPayload {
    /// The frame without its type byte, as admission takes it; a direct one with its MAC for the gate.
    func frameBody(hops: UInt8 = 0) -> [UInt8] {
        guard payload.isDirect else { return Array(frame(hops: hops).dropFirst()) }
        return Array(directFrame(under: Gate.key, from: Gate.certificate, to: Gate.certificate).dropFirst())
    }
}

/// The admission of a node, with clocks that the test sets.
struct Gate {
    static let me = PeerID.numbered(1_000_000)
    /// A certificate, with the serial 1, that stands for that of any author and of the gate.
    static let certificate = pairing().certificate
    /// The key that stands for that of any author with the gate.
    static let key = pairing().key

    private static func pairing() -> (certificate: Certificate, key: DirectKey) {
        var randomness = Randomness.seeded(4_711)
        let author = Author(seed: 4_711)
        let pair = KeyPair.generate(using: &randomness, protection: .transient)
        let certificate = Certificate.issue(
            by: author.identity, noise: pair.publicKey, dm: pair.publicKey, epoch: 1, serial: 1)
        guard let key = DirectKey(of: pair, certificate, with: certificate) else { preconditionFailure("no key") }
        return (certificate, key)
    }

    var admission: Admission
    var now = Instant(nanoseconds: 0)
    var wallClock = Author.wallClock

    init(rate: Double = Limits.sendPerSecond) {
        admission = Admission(
            room: Author.room, me: Gate.me, rates: AdmissionRates(messagesPerSecond: rate))
    }

    mutating func admit(
        _ frame: [UInt8], from link: PeerID, epoch: UInt64 = 1, bridge: BridgeStanding = .unknown
    ) -> AdmissionResult {
        admit(frame, from: .live(LiveLink(to: link, epoch: epoch, bridge: bridge)))
    }

    mutating func admit(_ frame: [UInt8], from origin: Origin) -> AdmissionResult {
        admission.judge(frame: frame.span, from: origin, now: now, wallClock: wallClock)
    }

    mutating func admit(_ signed: SignedPayload, hops: UInt8 = 0, from link: PeerID? = nil) -> AdmissionResult {
        let link = LiveLink(to: link ?? signed.payload.author, epoch: signed.payload.epoch)
        return admit(
            signed.frameBody(hops: hops), from: signed.payload.isDirect ? .direct(link, Gate.key) : .live(link))
    }

    mutating func admitHistory(_ signed: SignedPayload, from link: PeerID) -> AdmissionResult {
        admit(signed.frameBody(hops: 1), from: .history(from: link))
    }

    mutating func learn(epoch: UInt64, of author: PeerID, via relay: PeerID?) -> Bool {
        admission.learn(epoch: epoch, of: author, via: relay, now: now)
    }

    mutating func pass(_ duration: Duration) {
        now = now + duration
        wallClock = Timestamp(milliseconds: wallClock.milliseconds + UInt64(duration.nanoseconds / 1_000_000))
    }
}

extension AdmissionResult {
    var admitted: VerifiedPayload? {
        if case .admitted(let payload) = self { payload } else { nil }
    }

    /// The whole result in words, to compare.
    var text: String {
        switch self {
        case .admitted: "admitted"
        case .repeated: "repeated"
        case .dropped(let reason): "dropped \(reason.rawValue)"
        case .closeLink(let reason): "close \(reason.rawValue)"
        case .ban(let reason): "ban \(reason.rawValue)"
        }
    }
}

extension PeerID {
    /// A peer whose key is unknown to all.
    static func numbered(_ number: UInt64) -> PeerID {
        var writer = ByteWriter(capacity: PeerID.byteCount)
        for word in [0, 0, 0, number] as [UInt64] { writer.write(word) }
        guard let id = PeerID(writer.bytes) else { preconditionFailure("four words are 32 bytes") }
        return id
    }
}

extension MessageID {
    static func numbered(_ number: UInt64) -> MessageID {
        var writer = ByteWriter(capacity: MessageID.byteCount)
        for word in [7, number] as [UInt64] { writer.write(word) }
        guard let id = MessageID(writer.bytes) else { preconditionFailure("two words are 16 bytes") }
        return id
    }
}

/// One body of every kind.
enum Bodies {
    static let target = PeerID.numbered(77)

    static let all: [PayloadBody] = [
        .publicMessage(stage: .resident, nickname: "quiet-otter", text: "안녕, world"),
        .presence(Presence(.away, stage: .regular, nickname: "quiet-otter")),
        .presence(Presence(.away, stage: .regular, nickname: "quiet-otter", reason: "점심")),
        .presence(
            Presence(
                .here, stage: .regular, nickname: "quiet-otter",
                profile: Profile(about: "빨간 모자", rooms: ["kitchen", "차고"]),
                bridging: Bridging(consents: true, isBridge: true))),
        .invitation(target: target, secret: [UInt8](repeating: 7, count: 32), room: "차고"),
        .typing(target: nil, isOn: true),
        .typing(target: target, isOn: false),
        .edit(target: .numbered(1), text: "better"),
        .delete(target: .numbered(2)),
        .edit(to: target, target: .numbered(1), text: "for you"),
        .delete(to: target, target: .numbered(2)),
        .publicMessage(stage: .resident, nickname: "n", text: "yes", replyTo: .numbered(4)),
        .directMessage(target: target, nickname: "n", text: "yes", replyTo: .numbered(4)),
        .reaction(target: .numbered(2), emojis: ["👍", "❤️", "🏳️‍🌈"]),
        .reaction(to: target, target: .numbered(2), emojis: []),
        .card(CardContent(title: "잃어버린 우산", text: "black", color: .gray), stage: .regular, nickname: "n"),
        .dmRequest(target: target, nickname: "é", text: "may I?"),
        .dmAccept(target: target),
        .dmDecline(target: target),
        .dmLeave(target: target),
        .directMessage(target: target, nickname: "n", text: "only for you"),
        .delivered(target: target, ids: [.numbered(3)]),
        .read(target: target, ids: (0..<100).map { .numbered($0) }),
    ]
}
