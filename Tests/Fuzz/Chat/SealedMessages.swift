import Noise
import Wire

@testable import Chat
@testable import ChatNode

extension FuzzTarget {
    /// Only unchanged content of a sealed message is admitted, and no content bans the neighbour that relayed it.
    static let sealed = FuzzTarget(name: "sealed", seeds: SealedRules.seeds) { input in
        var choices = Choices(input)
        if choices.flag() { SealedRules.checkOpened(&choices) } else { SealedRules.checkFrame(&choices) }
    }
}

private enum SealedRules {
    static let room = Room.lobby.id
    static let wallClock = Timestamp(milliseconds: 1_800_000_000_000)

    static func seeds() -> [[UInt8]] {
        [
            [1, 0, 16], [1, 4, 0, 200, 1, 1], [0, 5, 104, 101, 108, 108, 111, 0], [0, 1, 97, 3, 2, 200, 1, 9],
            [1, 0, 20, 2],
        ]
    }

    /// Opens arbitrary content that an author sealed.
    static func checkOpened(_ choices: inout Choices) {
        let me = Stranger(1)
        let author = Stranger(2)
        let signed = SignedPayload(
            body(choices.byte(), to: me.id), by: author.identity, in: room, epoch: 1, sequence: 1, timestamp: wallClock)
        guard let key = DirectKey(of: author.dm, author.certificate, with: me.certificate) else {
            fatalError("two valid keys have no common one")
        }
        let frame = signed.directFrame(under: key, from: author.certificate, to: me.certificate)
        let genuine = author.certificate.bytes + frame.dropFirst()
        var opened = genuine
        choices.mutate(&opened, times: 4)
        opened += [UInt8](repeating: 0, count: choices.below(64))
        var admission = Admission(room: room, me: me.id)
        guard let content = try? SealedContent(opened) else { return }
        let verdict = admission.judge(
            frame: content.frame.span, from: .sealed(from: author.id, by: content.certificate, key),
            now: Instant(nanoseconds: 0), wallClock: wallClock)
        switch verdict {
        case .admitted(let payload):
            let serials = Certificate.byteCount..<Certificate.byteCount + SignedPayload.serialBytes
            opened.replaceSubrange(serials, with: genuine[serials])
            demand(opened.starts(with: genuine), "changed content is admitted")
            demand(payload.payload == signed.payload, "another payload is admitted")
        case .repeated: fatalError("a new payload counts as repeated")
        case .dropped: break
        case .closeLink, .ban: fatalError("the neighbour is blamed for content that it could not read")
        }
    }

    /// Opens a frame that a relay may have changed.
    static func checkFrame(_ choices: inout Choices) {
        let me = Stranger(1)
        let author = Stranger(2)
        var randomness = Randomness.seeded(3)
        guard let text = try? Text.compose(choices.text()) else { return }
        let said = PayloadBody.directMessage(target: me.id, nickname: "author", text: text)
        let payload = VerifiedPayload(
            signing: said, by: author.identity, in: room, epoch: 1, sequence: 1, timestamp: wallClock)
        guard let key = DirectKey(of: author.dm, author.certificate, with: me.certificate) else {
            fatalError("two valid keys have no common one")
        }
        let frame = SealedMessage.frame(
            sealing: payload, under: key, with: author.certificate, to: me.certificate, using: &randomness)
        guard let frame else { fatalError("a valid message can not be sealed") }
        let genuine = Array(frame.dropFirst())
        demand(SealedMessage.bodySizes.contains(genuine.count), "a frame of odd size")
        var body = genuine
        choices.mutate(&body, times: 2)
        var relay = SealedRelay(me: me.id)
        let isForUs = relay.course(of: body) == .forUs
        demand(relay.course(of: body) == .repeated, "a repeated frame counts as new")
        let opened = try? SealedMessage.open(body.span, for: me.id, with: me.dm)
        let isSame = body.dropFirst(SealedMessage.addressBytes) == genuine.dropFirst(SealedMessage.addressBytes)
        demand((opened != nil) == isSame, "a changed frame opens, or an unchanged one does not")
        demand(body != genuine || isForUs, "a frame for this node is relayed")
        guard let opened, let content = try? SealedContent(opened) else { return }
        demand(content.certificate == author.certificate, "another certificate comes out")
        let words = payload.signed.directFrame(under: key, from: author.certificate, to: me.certificate)
        demand(content.frame == Array(words.dropFirst()), "another payload comes out")
    }

    private static func body(_ kind: UInt8, to me: PeerID) -> PayloadBody {
        switch kind {
        case 16: .dmRequest(target: me, nickname: "author", text: "may I?")
        case 17: .dmAccept(target: me)
        case 19: .dmLeave(target: me)
        case 23: .invitation(target: me, secret: [UInt8](repeating: 7, count: 32), room: "kitchen")
        case 2: .typing(target: me, isOn: true)
        case 1: .edit(to: me, target: MessageID(signed: [1].span), text: "better")
        default: .directMessage(target: me, nickname: "author", text: "only for you")
        }
    }
}
