package import Wire

/// What a person said or did: one case a kind, with what that kind carries and nothing else (Protocol.md section 6).
///
/// Texts are trimmed and within the limits of section 6; they are not safe to show before `DisplayGuard` saw them.
package enum PayloadBody: Hashable, Sendable {
    case publicMessage(stage: SenderStage, nickname: String, text: String)
    case presence(PresenceState, stage: SenderStage, nickname: String)
    /// `target` is nil for the room.
    case typing(target: PeerID?, isOn: Bool)
    case edit(target: MessageID, text: String)
    case delete(target: MessageID)
    case dmRequest(target: PeerID, nickname: String, text: String)
    case dmAccept(target: PeerID)
    case dmDecline(target: PeerID)
    case dmLeave(target: PeerID)
    case directMessage(target: PeerID, nickname: String, text: String)
    /// 1 to 100 ids: a conversation keeps no more messages.
    case delivered(target: PeerID, ids: [MessageID])
    /// 1 to 100 ids.
    case read(target: PeerID, ids: [MessageID])

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
        }
    }
}
