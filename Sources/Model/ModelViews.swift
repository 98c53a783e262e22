import Commands

/// The conversation that each view shows. A conversation is active while any view shows it.
struct ModelViews: Sendable {
    /// Of more, the one that came first gives way: the shared one never does.
    static let capacity = 256

    private var shown: [(view: ViewID, conversation: ConversationID)] = []

    func conversation(of view: ViewID) -> ConversationID? { shown.first { $0.view == view }?.conversation }

    func isActive(_ id: ConversationID) -> Bool { shown.contains { $0.conversation == id } }

    /// - Parameter conversation: nil for none.
    /// - Returns: the conversations that may be active now, or no longer.
    mutating func set(_ view: ViewID, to conversation: ConversationID?) -> [ConversationID] {
        var changed: [ConversationID] = []
        if let index = shown.firstIndex(where: { $0.view == view }) {
            guard shown[index].conversation != conversation else { return [] }
            changed.append(shown.remove(at: index).conversation)
        }
        guard let conversation else { return changed }
        if shown.count == ModelViews.capacity, let index = shown.firstIndex(where: { $0.view != .shared }) {
            changed.append(shown.remove(at: index).conversation)
        }
        shown.append((view, conversation))
        return changed + [conversation]
    }

    /// The room has ended: no view shows anything of it.
    mutating func remove(room: Int) { shown.removeAll { $0.conversation.room == room } }
}
