internal import Wire

extension PayloadBody {
    /// The body as it is signed (Protocol.md section 6). Texts and nicknames are composed; receipts name 1 to 100 ids.
    package func encoded() -> [UInt8] {
        var writer = ByteWriter()
        switch self {
        case .publicMessage(let stage, let nickname, let text):
            writer.write(stage.rawValue)
            writer.write(nickname: nickname)
            writer.write(Array(text.utf8))
        case .presence(let state, let stage, let nickname):
            writer.write(state.rawValue)
            writer.write(stage.rawValue)
            writer.write(nickname: nickname)
        case .typing(let target, let isOn):
            writer.write(target?.bytes ?? PayloadBody.everyone)
            writer.write(UInt8(isOn ? 1 : 0))
        case .edit(let target, let text):
            writer.write(target)
            writer.write(Array(text.utf8))
        case .delete(let target):
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
        }
        return writer.bytes
    }

    /// The target of what is meant for the room.
    static var everyone: [UInt8] { [UInt8](repeating: 0, count: PeerID.byteCount) }
}

extension ByteWriter {
    fileprivate mutating func write(nickname: String) {
        let bytes = Array(nickname.utf8)
        precondition(bytes.count <= Limits.nicknameBytes, "a nickname of \(bytes.count) bytes was never composed")
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
