import Noise
import Wire

@testable import Chat

extension FuzzTarget {
    /// An accepted payload satisfies every rule for texts and nicknames, and is written again as it was read.
    static let payload = FuzzTarget(name: "payload", seeds: PayloadRules.seeds) { input in
        var choices = Choices(input)
        let signed = PayloadRules.draw(&choices)
        let payload: P2PPayload
        do throws(PayloadError) { payload = try P2PPayload(decoding: signed.span) } catch { return }
        PayloadRules.check(payload)
        let isDirect = (try? PayloadHeader(signed.span))?.isDirect
        demand(isDirect == payload.isDirect, "a header is of another receiver than its body")
        let header = PayloadHeader(
            room: payload.room, author: payload.author, epoch: payload.epoch, sequence: payload.sequence,
            timestamp: payload.timestamp, kind: payload.type.rawValue)
        let written = header.encoded(with: payload.body.encoded())
        // The signature covers white space around a text; decoding removes it.
        demand(written.count < signed.count || written == signed, "a payload is written otherwise than it was read")
        do throws(PayloadError) {
            let again = try P2PPayload(decoding: written.span)
            demand(again.body == payload.body, "a payload is read otherwise than it was written")
        } catch {
            fatalError("what was written is not read: \(error)")
        }
    }
}

enum PayloadRules {
    static let room = Room.lobby.id

    static func seeds() -> [[UInt8]] {
        let padded = [1, 1, 0, 5] + Array("otter".utf8) + [UInt8](repeating: 0, count: MessageID.byteCount)
        return bodies.map { [1, $0.type.rawValue] + $0.encoded() } + [padded + Array("  trimmed \n".utf8)]
    }

    /// A body of every kind.
    private static var bodies: [PayloadBody] {
        guard let peer = PeerID([UInt8](repeating: 9, count: PeerID.byteCount)) else { return [] }
        let id = MessageID(8, 8)
        let (name, text) = ("otter", "안녕, e\u{301} 👩‍👧")
        return [
            .publicMessage(stage: .resident, nickname: name, text: text),
            .publicMessage(stage: .newcomer, nickname: name, text: text, replyTo: id),
            .presence(Presence(.away, stage: .regular, nickname: name, reason: "점심")),
            .presence(
                Presence(
                    .here, stage: .regular, nickname: name, profile: Profile(about: "빨간 모자", rooms: ["kitchen", "차고"]),
                    bridging: Bridging(consents: true, isBridge: true))),
            .typing(target: nil, isOn: true), .typing(target: peer, isOn: false), .edit(target: id, text: text),
            .edit(to: peer, target: id, text: text), .delete(target: id), .delete(to: peer, target: id),
            .reaction(target: id, emojis: ["👍", "❤️", "🏳️‍🌈"]), .reaction(to: peer, target: id, emojis: []),
            .card(CardContent(title: "잃어버린 우산", text: text, color: .gray), stage: .regular, nickname: name),
            .dmRequest(target: peer, nickname: name, text: text), .dmAccept(target: peer), .dmDecline(target: peer),
            .dmLeave(target: peer), .directMessage(target: peer, nickname: name, text: text),
            .directMessage(target: peer, nickname: name, text: text, replyTo: id),
            .delivered(target: peer, ids: [id, id]),
            .read(target: peer, ids: [id]),
            .invitation(target: peer, secret: [UInt8](repeating: 7, count: 32), room: "차고"),
        ]
    }

    /// Arbitrary bytes, or a body of any kind behind a valid header.
    static func draw(_ choices: inout Choices) -> [UInt8] {
        guard choices.flag() else { return choices.rest() }
        let kind = choices.byte()
        let author = PeerID([UInt8](repeating: 5, count: PeerID.byteCount))
        guard let author else { return [] }
        let header = PayloadHeader(
            room: room, author: author, epoch: 1, sequence: 2, timestamp: Timestamp(milliseconds: 3), kind: kind)
        return header.encoded(with: choices.rest())
    }

    /// The properties that the rest of the program reads keep the rules too.
    static func check(_ payload: P2PPayload) {
        check(payload.body)
        if let name = payload.senderNickname { check(nickname: name) }
        if let text = payload.content { check(text: text) }
        demand(payload.senderStage == nil || payload.senderNickname != nil, "a stage of nobody")
        demand(payload.replyTo == nil || payload.content != nil, "an answer without a text")
        demand(payload.targetMessage == nil || payload.senderNickname == nil, "a change with a name")
        demand(!(payload.isHistory && payload.isDirect), "a payload for one peer is history")
        demand(
            payload.authorClock < AuthorClock(epoch: .max, sequence: .max) || payload.epoch == .max,
            "a clock at its end")
    }

    static func check(_ body: PayloadBody) {
        switch body {
        case .publicMessage(_, let nickname, let text, _), .dmRequest(_, let nickname, let text),
            .directMessage(_, let nickname, let text, _):
            check(nickname: nickname)
            check(text: text)
        case .presence(let presence): check(presence)
        case .invitation(_, let secret, let room):
            demand(secret.count == 32, "a secret of \(secret.count) bytes")
            check(room: room)
        case .edit(_, _, let text): check(text: text)
        case .reaction(_, _, let emojis):
            demand(emojis.count <= Limits.reactionsOfAuthor, "\(emojis.count) emojis of one author")
            for emoji in emojis {
                demand(
                    emoji.count == 1 && emoji.utf8.count <= Limits.emojiBytes, "an emoji of \(emoji.utf8.count) bytes")
                demand(
                    emoji.unicodeScalars.allSatisfy { !$0.properties.isAlphabetic || $0.properties.isEmoji },
                    "a reaction with a letter")
            }
        case .card(let card, _, let nickname):
            check(nickname: nickname)
            check(text: card.text)
            demand(card.title.count <= 40 && !card.title.contains("\n"), "a title of \(card.title.count) characters")
        case .delivered(_, let ids), .read(_, let ids):
            demand((1...100).contains(ids.count), "a receipt of \(ids.count) ids")
        case .typing, .delete, .dmAccept, .dmDecline, .dmLeave: break
        }
    }

    static func check(_ presence: Presence) {
        check(nickname: presence.nickname)
        demand(presence.reason == nil || presence.state == .away, "a reason of a peer that is not away")
        for line in [presence.reason, presence.profile.about].compactMap(\.self) { check(reason: line) }
        demand(presence.profile.rooms.count <= Limits.announcedRooms, "\(presence.profile.rooms.count) rooms")
        for room in presence.profile.rooms { check(room: room) }
    }

    static func check(room: String) {
        demand(room.utf8.count <= Limits.roomNameBytes, "a room name of \(room.utf8.count) bytes")
        demand((1...Limits.roomNameCharacters).contains(room.count), "a room name of \(room.count) characters")
        for scalar in room.unicodeScalars { demand(!isControl(scalar), "a control character in a room name") }
    }

    static func check(text: String) {
        demand(text.utf8.count <= Limits.messageBytes, "a text of \(text.utf8.count) bytes")
        demand((1...Limits.messageCharacters).contains(text.count), "a text of \(text.count) characters")
        checkScalars(text)
    }

    static func check(nickname: String) {
        demand(nickname.utf8.count <= Limits.nicknameBytes, "a nickname of \(nickname.utf8.count) bytes")
        demand((1...Limits.nicknameCharacters).contains(nickname.count), "a nickname of \(nickname.count) characters")
        checkScalars(nickname)
        for scalar in nickname.unicodeScalars {
            demand(!isControl(scalar), "a control character in a nickname")
        }
    }

    static func check(reason: String) {
        demand(reason.utf8.count <= Limits.awayReasonBytes, "a reason of \(reason.utf8.count) bytes")
        demand((1...Limits.awayReasonCharacters).contains(reason.count), "a reason of \(reason.count) characters")
        checkScalars(reason)
        for scalar in reason.unicodeScalars {
            demand(!isControl(scalar), "a control character in a reason")
        }
    }

    static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value < 0x20 || (0x7f...0x9f).contains(scalar.value) || scalar == "\u{2028}" || scalar == "\u{2029}"
    }

    private static func checkScalars(_ text: String) {
        let scalars = text.unicodeScalars
        demand(scalars.first?.properties.isWhitespace == false, "white space before it")
        demand(scalars.last?.properties.isWhitespace == false, "white space behind it")
        let densest = text.map(\.unicodeScalars.count).max() ?? 0
        demand(densest <= Limits.scalarsPerCharacter, "a character of \(densest) scalars")
    }
}
