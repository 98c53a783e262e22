import Noise
import Wire

@testable import Chat

/// Payloads of other authors: direct, relayed, and as history.
extension RoomRun {
    func arrive(_ choices: inout Choices, _ operation: Int) {
        let signed = operation < 6 || said.isEmpty ? sign(&choices) : choices.pick(said)
        let neighbour = author(&choices)
        switch choices.below(12) {
        case 8...: hearOtherwise(signed, from: neighbour, &choices)
        case 0..<4: hear(signed, from: signed.payload.author, hops: 0, &choices)
        case 4, 5: hear(signed, from: neighbour.id, hops: choices.byte(), &choices)
        default: hearHistory(signed, from: neighbour.id, &choices)
        }
    }

    private func sign(_ choices: inout Choices) -> SignedPayload {
        let author = author(&choices)
        switch choices.below(16) {
        case 0: author.sequence += UInt64(choices.byte())
        case 1: author.epoch += 1
        case 2: author.sequence = author.sequence / 2
        default: author.sequence += 1
        }
        let body = body(&choices)
        let age = choices.below(8) == 0 ? choices.word() % 2_000_000_000 : 0
        let time = Timestamp(milliseconds: wallClock.milliseconds - min(wallClock.milliseconds, age))
        let signed = SignedPayload(
            body, by: author.identity, in: RoomRun.room, epoch: author.epoch, sequence: author.sequence, timestamp: time
        )
        if said.count < 512 { said.append(signed) }
        return signed
    }

    private func body(_ choices: inout Choices) -> PayloadBody {
        let target = choices.below(4) == 0 ? author(&choices).id : session.id
        let name = choices.pick(["otter", "heron", "x", "me"])
        let text = choices.pick(["hello", "안녕", "e\u{301}", "ring me", "a\u{202e}b"])
        switch choices.below(18) {
        case 0, 1: return .publicMessage(stage: .newcomer, nickname: name, text: text)
        case 2:
            return .presence(
                Presence(
                    choices.pick(PresenceState.allCases), stage: .regular, nickname: name,
                    profile: Profile(about: choices.flag() ? name : nil, rooms: choices.flag() ? [name] : []),
                    bridging: Bridging(consents: choices.flag(), isBridge: choices.flag())))
        case 3: return .typing(target: choices.flag() ? target : nil, isOn: choices.flag())
        case 4: return .edit(to: choices.flag() ? target : nil, target: message(&choices), text: text)
        case 5: return .dmRequest(target: target, nickname: name, text: text)
        case 6: return .dmAccept(target: target)
        case 7: return .dmDecline(target: target)
        case 8: return .dmLeave(target: target)
        case 9, 10: return .directMessage(target: target, nickname: name, text: text)
        case 11: return .delivered(target: target, ids: (0...choices.below(3)).map { _ in message(&choices) })
        case 13:
            return .invitation(target: target, secret: [UInt8](repeating: choices.byte() & 1, count: 32), room: name)
        case 12: return .read(target: target, ids: (0...choices.below(3)).map { _ in message(&choices) })
        case 15:
            let emojis = ["👍", "🎉", "❤️"].filter { _ in choices.flag() }
            return .reaction(to: choices.flag() ? target : nil, target: message(&choices), emojis: emojis)
        case 16: return .card(CardContent(title: name, text: text, color: .teal), stage: .regular, nickname: name)
        case 17:
            return .publicMessage(stage: .regular, nickname: name, text: text, replyTo: message(&choices))
        default: return .delete(to: choices.flag() ? target : nil, target: message(&choices))
        }
    }

    /// The id of a message of any author, own ones included, or of a message that does not exist yet.
    private func message(_ choices: inout Choices) -> MessageID {
        let ours = model.ours
        switch choices.below(3) {
        case 0 where !ours.isEmpty: return choices.pick(ours)
        case 1 where !said.isEmpty: return choices.pick(said).payload.messageId
        default: return said.last?.payload.messageId ?? MessageID(signed: [choices.byte()].span)
        }
    }

    /// The body of a frame for this node alone; nothing of a payload for the room.
    private static func directBody(of signed: SignedPayload) -> [UInt8] {
        guard signed.payload.isDirect else { return [] }
        let certificate = pairing.certificate
        return Array(signed.directFrame(under: pairing.key, from: certificate, to: certificate).dropFirst())
    }

    /// A certificate and a key that stand for those of any author and this node.
    private static let pairing: (certificate: Certificate, key: DirectKey) = {
        let stranger = Stranger(4_711)
        let certificate = stranger.certificate
        guard let key = DirectKey(of: stranger.dm, certificate, with: certificate) else {
            fatalError("a valid key has no common one with itself")
        }
        return (certificate, key)
    }()

    /// A frame says of itself what its payload is.
    private func checkFrame(_ bytes: [UInt8], isDirect: Bool) {
        do throws(DropReason) {
            let frame = isDirect ? try PayloadFrame(direct: bytes.span) : try PayloadFrame(bytes.span)
            demand(isDirect || PayloadFrame.id(of: bytes.span) == frame.id, "a frame of another id")
            demand(!frame.isPresenceOfCrowd || frame.type == .presence, "a crowd without a presence")
            demand(!isDirect || frame.serials == (bytes[0], bytes[1]), "other certificates than those named")
            let payload = try frame.signedPayload().payload
            let isSame = payload.author == frame.author && payload.timestamp == frame.timestamp
            demand(isSame && payload.authorClock == frame.authorClock, "a frame of another payload")
        } catch {
            demand(!error.rawValue.isEmpty, "a refusal without a reason")
        }
    }

    private func hear(_ signed: SignedPayload, from link: PeerID, hops: UInt8, _ choices: inout Choices) {
        guard linked.contains(link) else { return }
        let live = LiveLink(to: link, epoch: signed.payload.epoch)
        var (frame, origin) = (RoomRun.directBody(of: signed), Origin.direct(live, RoomRun.pairing.key))
        if !signed.payload.isDirect { (frame, origin) = (Array(signed.frame(hops: hops).dropFirst()), .live(live)) }
        if choices.below(16) == 0 { choices.mutate(&frame, times: 3) }
        checkFrame(frame, isDirect: signed.payload.isDirect)
        judged += 1
        let verdict = admission.judge(frame: frame.span, from: origin, now: now, wallClock: wallClock)
        switch verdict {
        case .admitted(let payload):
            demand(payload.payload.author != session.id, "our own comes from outside")
            demand(payload.provenance == .direct(link) || payload.signed.isSignatureValid, "nobody signed this")
            note(router.route(payload, at: moment))
        case .repeated(let payload):
            demand(payload.payload.author == link, "somebody repeats what is another's")
            note(router.route(payload, at: moment))
        case .dropped, .closeLink, .ban: break
        }
    }

    /// A presence in a roster, a payload of another network, or one that is sealed for this node.
    private func hearOtherwise(_ signed: SignedPayload, from neighbour: Author, _ choices: inout Choices) {
        guard linked.contains(neighbour.id) else { return }
        let isDirect = signed.payload.isDirect
        var frame = isDirect ? RoomRun.directBody(of: signed) : Array(signed.frame(hops: 1).dropFirst())
        let origin: Origin
        switch choices.below(3) {
        case 0: origin = .roster(from: neighbour.id, isKept: choices.below(8) == 7, bridge: .unknown)
        case 1: origin = .broker(bridge: neighbour.id, isHistory: choices.flag())
        default:
            guard let author = authors.values.first(where: { $0.id == signed.payload.author }) else { return }
            let certificate = RoomRun.certificate(of: author, epoch: UInt64(choices.below(3)))
            origin = .sealed(from: neighbour.id, by: certificate, RoomRun.pairing.key)
        }
        if choices.below(16) == 0 { choices.mutate(&frame, times: 3) }
        judged += 1
        switch admission.judge(frame: frame.span, from: origin, now: now, wallClock: wallClock) {
        case .admitted(let payload), .repeated(let payload):
            demand(payload.payload.author != session.id, "our own comes from outside")
            demand(payload.payload.isDirect || payload.signed.isSignatureValid, "nobody signed this")
            note(router.route(payload, at: moment))
        case .dropped, .closeLink, .ban: break
        }
    }

    /// The certificate of a run of an author.
    private static func certificate(of author: Author, epoch: UInt64) -> Certificate {
        let keys = pairing.certificate
        return Certificate.issue(
            by: author.identity, noise: keys.noise, dm: keys.dm, epoch: author.epoch + epoch, serial: 1)
    }

    private func hearHistory(_ signed: SignedPayload, from link: PeerID, _ choices: inout Choices) {
        let isLacking = !router.publicChat.lacking([signed.payload.messageId.prefix]).isEmpty
        guard linked.contains(link), isLacking, !signed.payload.isDirect else { return }
        var frame = Array(signed.frame(hops: 1).dropFirst())
        if choices.below(16) == 0 { choices.mutate(&frame, times: 3) }
        judged += 1
        switch admission.judge(frame: frame.span, from: .history(from: link), now: now, wallClock: wallClock) {
        case .admitted(let payload):
            demand(payload.signed.isSignatureValid, "nobody signed this history")
            note(router.route(payload, at: moment, askedAt: wallClock))
        case .repeated: fatalError("history is repeated")
        case .dropped, .closeLink, .ban: router.recordFinal(signed.payload.messageId.prefix)
        }
    }
}
