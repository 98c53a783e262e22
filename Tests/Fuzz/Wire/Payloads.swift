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
        PayloadRules.check(payload.body)
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
        let peer = [UInt8](repeating: 9, count: PeerID.byteCount)
        let id = [UInt8](repeating: 8, count: MessageID.byteCount)
        let name = [5] + Array("otter".utf8)
        let text = Array("안녕, e\u{301} 👩‍👧".utf8)
        let bodies: [(UInt8, [UInt8])] = [
            (1, [0] + name + text), (2, [1, 2] + name + name), (3, peer + [1]), (4, peer + id + text), (5, peer + id),
            (16, peer + name + text), (17, peer), (18, peer), (19, peer), (20, peer + name + text),
            (21, peer + [2] + id + id), (22, peer + [1] + id), (1, [0] + name + Array("  trimmed \n".utf8)),
        ]
        return bodies.map { [1, $0.0] + $0.1 }
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
