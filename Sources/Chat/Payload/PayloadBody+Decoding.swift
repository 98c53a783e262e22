internal import Wire

extension PayloadBody {
    /// Messages that one receipt can name: a conversation keeps no more.
    package static let receiptIDs = Limits.messagesPerConversation

    /// Reads a body that must end with `bytes`, strictly: no value but those that exist, no byte left over.
    init(_ type: PayloadType, decoding bytes: Span<UInt8>) throws(PayloadError) {
        var fields = FieldReader(bytes)
        switch type {
        case .publicMessage:
            self = .publicMessage(stage: try fields.stage(), nickname: try fields.nickname(), text: try fields.text())
        case .presence:
            self = .presence(try fields.state(), stage: try fields.stage(), nickname: try fields.nickname())
        case .typing:
            self = .typing(target: try fields.peerOrRoom(), isOn: try fields.flag())
        case .edit:
            self = .edit(target: try fields.messageID(), text: try fields.text())
        case .delete:
            self = .delete(target: try fields.messageID())
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
        }
        guard fields.isAtEnd else { throw .malformed }
    }
}

/// Reads the fields of a payload's body, each under its own rule.
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
        return try Nickname.accept(try take(count))
    }

    /// All that is left.
    mutating func text() throws(PayloadError) -> String {
        try Text.accept(try take(reader.remaining))
    }

    private mutating func byte() throws(PayloadError) -> UInt8 {
        do throws(TruncatedInput) { return try reader.readUInt8() } catch { throw .malformed }
    }

    @_lifetime(copy self)
    private mutating func take(_ count: Int) throws(PayloadError) -> Span<UInt8> {
        do throws(TruncatedInput) {
            return bytes.extracting(try reader.readRange(count))
        } catch {
            throw .malformed
        }
    }
}
