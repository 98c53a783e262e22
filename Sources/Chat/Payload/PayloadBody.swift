import Noise
package import Wire

/// The body of a payload: one case for each kind, with exactly the fields of that kind (Protocol.md section 6).
///
/// Texts are trimmed and within the limits of section 6; `DisplayGuard` makes them safe to show.
package enum PayloadBody: Hashable, Sendable {
    case publicMessage(stage: SenderStage, nickname: String, text: String)
    case presence(Presence)
    /// `target` is nil for the room.
    case typing(target: PeerID?, isOn: Bool)
    /// `to` is the peer of the direct conversation that has the message; nil for the room.
    case edit(to: PeerID? = nil, target: MessageID, text: String)
    /// As `edit`.
    case delete(to: PeerID? = nil, target: MessageID)
    case dmRequest(target: PeerID, nickname: String, text: String)
    case dmAccept(target: PeerID)
    case dmDecline(target: PeerID)
    case dmLeave(target: PeerID)
    case directMessage(target: PeerID, nickname: String, text: String)
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
        case .typing(let target, _), .edit(let target, _, _), .delete(let target, _): target
        case .dmRequest(let target, _, _), .dmAccept(let target), .dmDecline(let target), .dmLeave(let target),
            .directMessage(let target, _, _), .delivered(let target, _), .read(let target, _),
            .invitation(let target, secret: _, room: _):
            target
        case .publicMessage, .presence: nil
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
            self = .publicMessage(stage: try fields.stage(), nickname: try fields.nickname(), text: try fields.text())
        case .presence:
            self = .presence(try fields.presence())
        case .typing:
            self = .typing(target: try fields.peerOrRoom(), isOn: try fields.flag())
        case .edit:
            self = .edit(to: try fields.peerOrRoom(), target: try fields.messageID(), text: try fields.text())
        case .delete:
            self = .delete(to: try fields.peerOrRoom(), target: try fields.messageID())
        case .dmRequest:
            self = .dmRequest(target: try fields.peer(), nickname: try fields.nickname(), text: try fields.text())
        case .dmAccept:
            self = .dmAccept(target: try fields.peer())
        case .dmDecline:
            self = .dmDecline(target: try fields.peer())
        case .dmLeave:
            self = .dmLeave(target: try fields.peer())
        case .directMessage:
            self = .directMessage(target: try fields.peer(), nickname: try fields.nickname(), text: try fields.text())
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
        switch self {
        case .publicMessage(let stage, let nickname, let text):
            writer.write(stage.rawValue)
            writer.write(nickname: nickname)
            writer.write(Array(text.utf8))
        case .presence(let presence): writer.write(presence)
        case .typing(let target, let isOn):
            writer.write(target?.bytes ?? PayloadBody.everyone)
            writer.write(UInt8(isOn ? 1 : 0))
        case .edit(let peer, let target, let text):
            writer.write(peer?.bytes ?? PayloadBody.everyone)
            writer.write(target)
            writer.write(Array(text.utf8))
        case .delete(let peer, let target):
            writer.write(peer?.bytes ?? PayloadBody.everyone)
            writer.write(target)
        case .dmRequest(let target, let nickname, let text), .directMessage(let target, let nickname, let text):
            writer.write(target)
            writer.write(nickname: nickname)
            writer.write(Array(text.utf8))
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
        return writer.bytes
    }

    /// The encoded target of a payload for the room.
    static var everyone: [UInt8] { [UInt8](repeating: 0, count: PeerID.byteCount) }
}

extension ByteWriter {
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

    private mutating func write(line: String, atMost most: Int) {
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
}
