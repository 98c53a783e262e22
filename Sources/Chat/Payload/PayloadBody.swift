import Noise
package import Wire

/// The body of a payload: one case for each kind, with exactly the fields of that kind (Protocol.md section 6).
///
/// Texts are trimmed and within the limits of section 6; `DisplayGuard` makes them safe to show.
package enum PayloadBody: Hashable, Sendable {
    /// `replyTo` is the message that it answers; nil for none.
    case publicMessage(stage: SenderStage, nickname: String, text: String, replyTo: MessageID? = nil)
    case presence(Presence)
    /// `target` is nil for the room.
    case typing(target: PeerID?, isOn: Bool)
    /// `to` is the peer of the direct conversation that has the message; nil for the room.
    case edit(to: PeerID? = nil, target: MessageID, text: String)
    /// As `edit`.
    case delete(to: PeerID? = nil, target: MessageID)
    /// As `edit`; the emojis that the author has given the message from now on, at most 3, no two equal.
    case reaction(to: PeerID? = nil, target: MessageID, emojis: [String])
    case card(CardContent, stage: SenderStage, nickname: String)
    case dmRequest(target: PeerID, nickname: String, text: String)
    case dmAccept(target: PeerID)
    case dmDecline(target: PeerID)
    case dmLeave(target: PeerID)
    /// `replyTo` as in `publicMessage`.
    case directMessage(target: PeerID, nickname: String, text: String, replyTo: MessageID? = nil)
    /// 1 to 100 ids: a conversation keeps no more messages.
    case delivered(target: PeerID, ids: [MessageID])
    /// 1 to 100 ids.
    case read(target: PeerID, ids: [MessageID])
    /// The name and the secret of a room: 32 bytes, zeros for an open one.
    case invitation(target: PeerID, secret: [UInt8], room: String)

    package var type: PayloadType {
        switch self {
        case .publicMessage: .publicMessage
        case .presence: .presence
        case .typing: .typing
        case .edit: .edit
        case .delete: .delete
        case .reaction: .reaction
        case .card: .card
        case .dmRequest: .dmRequest
        case .dmAccept: .dmAccept
        case .dmDecline: .dmDecline
        case .dmLeave: .dmLeave
        case .directMessage: .directMessage
        case .delivered: .delivered
        case .read: .read
        case .invitation: .invitation
        }
    }

    /// The only peer it is meant for; nil if it is meant for the room.
    var target: PeerID? {
        switch self {
        case .typing(let target, _), .edit(let target, _, _), .delete(let target, _), .reaction(let target, _, _):
            target
        case .dmRequest(let target, _, _), .dmAccept(let target), .dmDecline(let target), .dmLeave(let target),
            .directMessage(let target, _, _, _), .delivered(let target, _), .read(let target, _),
            .invitation(let target, secret: _, room: _):
            target
        case .publicMessage, .presence, .card: nil
        }
    }
}

extension PayloadBody {
    /// The most ids in a receipt: a conversation keeps no more messages.
    package static let receiptIDs = Limits.messagesPerConversation

    /// Decodes a body strictly: unknown values and left-over bytes are refused.
    init(_ type: PayloadType, decoding bytes: Span<UInt8>) throws(PayloadError) {
        var fields = FieldReader(bytes)
        switch type {
        case .publicMessage:
            let (stage, nickname, replyTo) = (try fields.stage(), try fields.nickname(), try fields.replyTo())
            self = .publicMessage(stage: stage, nickname: nickname, text: try fields.text(), replyTo: replyTo)
        case .presence:
            self = .presence(try fields.presence())
        case .typing:
            self = .typing(target: try fields.peerOrRoom(), isOn: try fields.flag())
        case .edit:
            self = .edit(to: try fields.peerOrRoom(), target: try fields.messageID(), text: try fields.text())
        case .delete:
            self = .delete(to: try fields.peerOrRoom(), target: try fields.messageID())
        case .reaction:
            self = .reaction(to: try fields.peerOrRoom(), target: try fields.messageID(), emojis: try fields.emojis())
        case .card:
            let (stage, nickname) = (try fields.stage(), try fields.nickname())
            self = .card(try fields.card(), stage: stage, nickname: nickname)
        case .dmRequest:
            self = .dmRequest(target: try fields.peer(), nickname: try fields.nickname(), text: try fields.text())
        case .dmAccept:
            self = .dmAccept(target: try fields.peer())
        case .dmDecline:
            self = .dmDecline(target: try fields.peer())
        case .dmLeave:
            self = .dmLeave(target: try fields.peer())
        case .directMessage:
            let (target, nickname, replyTo) = (try fields.peer(), try fields.nickname(), try fields.replyTo())
            self = .directMessage(target: target, nickname: nickname, text: try fields.text(), replyTo: replyTo)
        case .delivered:
            self = .delivered(target: try fields.peer(), ids: try fields.messageIDs())
        case .read:
            self = .read(target: try fields.peer(), ids: try fields.messageIDs())
        case .invitation:
            self = .invitation(target: try fields.peer(), secret: try fields.secret(), room: try fields.room())
        }
        guard fields.isAtEnd else { throw .malformed }
    }
}

/// Reads the fields of a body, each by its own rule.
private struct FieldReader: ~Escapable {
    private let bytes: Span<UInt8>
    private var reader: ByteReader

    @_lifetime(copy bytes)
    init(_ bytes: Span<UInt8>) {
        self.bytes = bytes
        reader = ByteReader(bytes)
    }

    var isAtEnd: Bool { reader.remaining == 0 }

    mutating func stage() throws(PayloadError) -> SenderStage {
        guard let stage = SenderStage(rawValue: try byte()) else { throw .malformed }
        return stage
    }

    mutating func state() throws(PayloadError) -> PresenceState {
        guard let state = PresenceState(rawValue: try byte()) else { throw .malformed }
        return state
    }

    mutating func presence() throws(PayloadError) -> Presence {
        let state = try state()
        return Presence(
            state, stage: try stage(), nickname: try nickname(), reason: try reason(of: state),
            profile: Profile(about: try about(), rooms: try rooms()), bridging: try bridging())
    }

    mutating func flag() throws(PayloadError) -> Bool {
        switch try byte() {
        case 0: false
        case 1: true
        default: throw .malformed
        }
    }

    mutating func peer() throws(PayloadError) -> PeerID {
        do throws(TruncatedInput) { return try reader.readPeerID() } catch { throw .malformed }
    }

    mutating func peerOrRoom() throws(PayloadError) -> PeerID? {
        let peer = try peer()
        return peer.words == (0, 0, 0, 0) ? nil : peer
    }

    mutating func messageID() throws(PayloadError) -> MessageID {
        do throws(TruncatedInput) { return try reader.readMessageID() } catch { throw .malformed }
    }

    /// Nil for no bytes.
    mutating func replyTo() throws(PayloadError) -> MessageID? {
        switch Int(try byte()) {
        case 0: nil
        case MessageID.byteCount: try messageID()
        default: throw .malformed
        }
    }

    mutating func emojis() throws(PayloadError) -> [String] {
        let count = Int(try byte())
        guard count <= Limits.reactionsOfAuthor else { throw .malformed }
        var emojis: [String] = []
        for _ in 0..<count {
            let size = Int(try byte())
            let emoji = try Emoji.accept(try takeBytes(size))
            guard !emojis.contains(emoji) else { throw .malformed }
            emojis.append(emoji)
        }
        return emojis
    }

    mutating func card() throws(PayloadError) -> CardContent {
        guard let color = CardColor(rawValue: try byte()) else { throw .card }
        let size = Int(try byte())
        let title = try CardTitle.accept(try takeBytes(size))
        return CardContent(title: title, text: try text(), color: color)
    }

    mutating func messageIDs() throws(PayloadError) -> [MessageID] {
        let count = Int(try byte())
        guard (1...PayloadBody.receiptIDs).contains(count), reader.remaining == count * MessageID.byteCount
        else { throw .malformed }
        var ids: [MessageID] = []
        ids.reserveCapacity(count)
        for _ in 0..<count { ids.append(try messageID()) }
        return ids
    }

    mutating func nickname() throws(PayloadError) -> String {
        let count = Int(try byte())
        return try Nickname.accept(try takeBytes(count))
    }

    /// Nil for no bytes. Only a peer that is away has a reason.
    mutating func reason(of state: PresenceState) throws(PayloadError) -> String? {
        let count = Int(try byte())
        guard count > 0 else { return nil }
        guard state == .away else { throw .malformed }
        return try AwayReason.accept(try takeBytes(count))
    }

    /// Nil for no bytes.
    private mutating func about() throws(PayloadError) -> String? {
        let count = Int(try byte())
        return count > 0 ? try AboutLine.accept(try takeBytes(count)) : nil
    }

    private mutating func rooms() throws(PayloadError) -> [String] {
        let count = Int(try byte())
        guard count <= Limits.announcedRooms else { throw .malformed }
        var rooms: [String] = []
        for _ in 0..<count { rooms.append(try RoomName.accept(try takeBytes(try length()))) }
        return rooms
    }

    private mutating func bridging() throws(PayloadError) -> Bridging {
        guard let bridging = Bridging(encoded: try byte()) else { throw .malformed }
        return bridging
    }

    /// 32 bytes.
    mutating func secret() throws(PayloadError) -> [UInt8] { [UInt8](copying: try takeBytes(RoomSecret.byteCount)) }

    /// All remaining bytes.
    mutating func room() throws(PayloadError) -> String { try RoomName.accept(try takeBytes(reader.remaining)) }

    /// Of two bytes.
    private mutating func length() throws(PayloadError) -> Int {
        do throws(TruncatedInput) { return Int(try reader.readUInt16()) } catch { throw .malformed }
    }

    /// All remaining bytes.
    mutating func text() throws(PayloadError) -> String {
        try Text.accept(try takeBytes(reader.remaining))
    }

    private mutating func byte() throws(PayloadError) -> UInt8 {
        do throws(TruncatedInput) { return try reader.readUInt8() } catch { throw .malformed }
    }

    @_lifetime(copy self)
    private mutating func takeBytes(_ count: Int) throws(PayloadError) -> Span<UInt8> {
        do throws(TruncatedInput) {
            return bytes.extracting(try reader.readRange(count))
        } catch {
            throw .malformed
        }
    }
}

extension PayloadBody {
    /// The body as it is signed (Protocol.md section 6). Texts and nicknames are composed; receipts name 1 to 100 ids.
    package func encoded() -> [UInt8] {
        var writer = ByteWriter()
        write(to: &writer)
        return writer.bytes
    }

    private func write(to writer: inout ByteWriter) {
        switch self {
        case .publicMessage(let stage, let nickname, let text, let replyTo):
            writer.write(stage.rawValue)
            writer.write(nickname: nickname, replyTo: replyTo, text: text)
        case .presence(let presence): writer.write(presence)
        case .typing(let target, let isOn):
            writer.write(receiver: target)
            writer.write(UInt8(isOn ? 1 : 0))
        case .edit(let peer, let target, let text):
            writer.write(receiver: peer)
            writer.write(target)
            writer.write(Array(text.utf8))
        case .delete(let peer, let target):
            writer.write(receiver: peer)
            writer.write(target)
        case .reaction(let peer, let target, let emojis):
            writer.write(receiver: peer)
            writer.write(target)
            writer.write(emojis: emojis)
        case .card(let card, let stage, let nickname): writer.write(card, stage, nickname: nickname)
        case .dmRequest(let target, let nickname, let text):
            writer.write(target)
            writer.write(nickname: nickname)
            writer.write(Array(text.utf8))
        case .directMessage(let target, let nickname, let text, let replyTo):
            writer.write(target)
            writer.write(nickname: nickname, replyTo: replyTo, text: text)
        case .dmAccept(let target), .dmDecline(let target), .dmLeave(let target):
            writer.write(target)
        case .delivered(let target, let ids), .read(let target, let ids):
            writer.write(target)
            writer.write(ids: ids)
        case .invitation(let target, let secret, let room):
            writer.write(target)
            writer.write(secret)
            writer.write(Array(room.utf8))
        }
    }

    /// The encoded target of a payload for the room.
    static var everyone: [UInt8] { [UInt8](repeating: 0, count: PeerID.byteCount) }
}

extension ByteWriter {
    /// - Parameter receiver: nil for the room.
    fileprivate mutating func write(receiver: PeerID?) { write(receiver?.bytes ?? PayloadBody.everyone) }

    fileprivate mutating func write(nickname: String, replyTo: MessageID?, text: String) {
        write(nickname: nickname)
        write(replyTo: replyTo)
        write(Array(text.utf8))
    }

    fileprivate mutating func write(_ card: CardContent, _ stage: SenderStage, nickname: String) {
        write(stage.rawValue)
        write(nickname: nickname)
        write(card.color.rawValue)
        write(line: card.title, atMost: Limits.cardTitleBytes)
        write(Array(card.text.utf8))
    }

    fileprivate mutating func write(nickname: String) {
        let bytes = Array(nickname.utf8)
        precondition(bytes.count <= Limits.nicknameBytes, "a nickname of \(bytes.count) bytes was never composed")
        write(UInt8(bytes.count))
        write(bytes)
    }

    fileprivate mutating func write(_ presence: Presence) {
        write(presence.state.rawValue)
        write(presence.stage.rawValue)
        write(nickname: presence.nickname)
        write(line: presence.reason ?? "", atMost: Limits.awayReasonBytes)
        write(line: presence.profile.about ?? "", atMost: Limits.aboutBytes)
        let rooms = presence.profile.rooms
        precondition(rooms.count <= Limits.announcedRooms, "\(rooms.count) rooms were announced")
        write(UInt8(rooms.count))
        for room in rooms {
            let bytes = Array(room.utf8)
            write(UInt16(bytes.count))
            write(bytes)
        }
        write(presence.bridging.encoded)
    }

    /// No byte but the count for none.
    fileprivate mutating func write(replyTo: MessageID?) {
        write(UInt8(replyTo == nil ? 0 : MessageID.byteCount))
        if let replyTo { write(replyTo) }
    }

    fileprivate mutating func write(emojis: [String]) {
        precondition(emojis.count <= Limits.reactionsOfAuthor, "\(emojis.count) reactions were composed")
        write(UInt8(emojis.count))
        for emoji in emojis { write(line: emoji, atMost: Limits.emojiBytes) }
    }

    fileprivate mutating func write(line: String, atMost most: Int) {
        let bytes = Array(line.utf8)
        precondition(bytes.count <= most, "a line of \(bytes.count) bytes was never composed")
        write(UInt8(bytes.count))
        write(bytes)
    }

    fileprivate mutating func write(ids: [MessageID]) {
        precondition(
            (1...PayloadBody.receiptIDs).contains(ids.count), "a receipt of \(ids.count) messages was composed")
        write(UInt8(ids.count))
        for id in ids { write(id) }
    }
}

/// Why signed bytes are not a payload (Protocol.md section 6).
package enum PayloadError: Error, Hashable, Sendable {
    /// Too short, too long, or with a field value that does not exist.
    case malformed
    /// A kind of a later version.
    case unknownKind(UInt8)
    case notUTF8
    case text(TextFault)
    case nickname
    case reason
    case about
    case emoji
    case card
}

extension Limits {
    /// Emojis that an author gives one message. More let one author fill the row of a message; with fewer, an author has to choose.
    package static let reactionsOfAuthor = 3
}
