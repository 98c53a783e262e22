import Wire

/// The emojis of peers on messages that the client knows of: an event has all of a peer's emojis, and a client gets
/// the difference. Bounded: of 1,024 the oldest are forgotten.
struct IRCReactions: Sendable {
    private struct Place: Hashable {
        let message: MessageID
        let author: PeerID
    }

    private static let capacity = 1_024

    private var known: [Place: [String]] = [:]
    private var order: [Place] = []

    /// Takes the emojis of an author on a message.
    ///
    /// - Returns: those that are new, and those that are gone.
    mutating func take(_ emojis: [String], on message: MessageID, by author: PeerID) -> (new: [String], gone: [String])
    {
        let place = Place(message: message, author: author)
        let before = known[place] ?? []
        if known[place] == nil {
            if order.count >= IRCReactions.capacity { known[order.removeFirst()] = nil }
            order.append(place)
        }
        known[place] = emojis
        return (emojis.filter { !before.contains($0) }, before.filter { !emojis.contains($0) })
    }
}
