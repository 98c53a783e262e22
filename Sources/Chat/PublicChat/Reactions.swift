package import Wire

/// The reactions to the messages of a conversation (Protocol.md section 6): of each author the latest set for each message.
///
/// An empty set is kept too, so that an earlier one does not come back.
package struct Reactions: Sendable {
    private struct Entry {
        let source: VerifiedPayload
        let emojis: [String]
        let giver: Giver
        /// When its author first reacted to the message, as a count: emojis are shown in this order.
        let arrival: UInt64
    }

    /// The author and the message of a reaction.
    private struct Key: Hashable {
        let message: MessageID
        let author: PeerID
    }

    /// The reaction that made room for another one.
    package struct Evicted: Hashable, Sendable {
        package let message: MessageID
        package let author: PeerID
    }

    enum Placement: Equatable {
        /// A later set of its author is kept.
        case old
        /// The message has as many authors as it may, or its giver has given the most; then an earlier set of the author is gone too.
        case refused(hadEarlier: Bool)
        case kept(evicted: Evicted?)
    }

    private var entries: [MessageID: [PeerID: Entry]] = [:]
    /// By the first 8 bytes of the payload's id.
    private var keys: [UInt64: Key] = [:]
    private var countsOfGivers: [Giver: Int] = [:]
    private var arrivals: UInt64 = 0
    /// The first 8 bytes of the ids of payloads that are not kept, and never asked for again.
    /// Nil where none is asked for, as in a direct conversation.
    private var passed: RecentTable<UInt64, Bool>?

    /// - Parameter isHistory: whether the reactions are offered to others and asked for.
    init(isHistory: Bool) {
        if isHistory { passed = RecentTable(capacity: Limits.passedReactions) }
    }

    package var isEmpty: Bool { keys.isEmpty }
    package var count: Int { keys.count }

    /// True if a payload is kept here, or was not kept.
    func knows(_ id: UInt64) -> Bool { keys[id] != nil || passed?[id] != nil }

    func payload(_ id: UInt64) -> VerifiedPayload? { keys[id].flatMap { entries[$0.message]?[$0.author]?.source } }

    /// The emojis that an author gave a message.
    func emojis(of author: PeerID, on message: MessageID) -> [String] { entries[message]?[author]?.emojis ?? [] }

    /// The messages that an author has given an emoji.
    func messages(of author: PeerID) -> [MessageID] {
        entries.filter { $0.value[author].map { !$0.emojis.isEmpty } ?? false }.map(\.key)
    }

    /// The emojis of a message, each with its authors, both in the order in which they came here.
    ///
    /// - Parameter isCounted: false for the authors that are left out.
    func authors(on message: MessageID, where isCounted: (PeerID) -> Bool) -> [(emoji: String, authors: [PeerID])] {
        guard let ofMessage = entries[message] else { return [] }
        var result: [(emoji: String, authors: [PeerID])] = []
        var places: [String: Int] = [:]
        for (author, entry) in ofMessage.sorted(by: { $0.value.arrival < $1.value.arrival }) where isCounted(author) {
            for emoji in entry.emojis {
                if let place = places[emoji] {
                    result[place].authors.append(author)
                } else {
                    places[emoji] = result.count
                    result.append((emoji, [author]))
                }
            }
        }
        return result
    }

    /// At most `Limits.reactionsOffered`, the latest, of each message as many as of the others.
    var offer: [UInt64] {
        let latest = entries.flatMap { message, ofMessage in ofMessage.values.map { (message: message, entry: $0) } }
            .sorted { $0.entry.arrival > $1.entry.arrival }
        return FairShare.shares(of: latest, by: \.message, atMost: Limits.reactionsOffered).reversed()
            .map { $0.entry.source.id.prefix }
    }

    /// Keeps an author's set in place of an earlier one.
    mutating func keep(_ emojis: [String], on message: MessageID, by source: VerifiedPayload, from giver: Giver)
        -> Placement
    {
        let author = source.author
        let before = entries[message]?[author]
        if let before, before.source.payload.authorClock >= source.payload.authorClock {
            recordPassed(source.id.prefix)
            return .old
        }
        guard before != nil || entries[message, default: [:]].count < Limits.reactorsOfMessage else {
            recordPassed(source.id.prefix)
            return .refused(hadEarlier: false)
        }
        if before != nil { remove(Key(message: message, author: author)) }
        arrivals += 1
        entries[message, default: [:]][author] = Entry(
            source: source, emojis: emojis, giver: giver, arrival: before?.arrival ?? arrivals)
        keys[source.id.prefix] = Key(message: message, author: author)
        countsOfGivers[giver, default: 0] += 1
        guard let victim = victim(of: giver) else { return .kept(evicted: nil) }
        remove(victim)
        if victim == Key(message: message, author: author) { return .refused(hadEarlier: before != nil) }
        return .kept(evicted: Evicted(message: victim.message, author: victim.author))
    }

    /// Notes that a payload is not kept, and never asked for again.
    mutating func recordPassed(_ id: UInt64) { passed?.set(true, for: id) }

    /// Forgets the reactions to a message that left the conversation.
    mutating func drop(_ message: MessageID) {
        guard !entries.isEmpty, let ofMessage = entries[message] else { return }
        for author in ofMessage.keys { remove(Key(message: message, author: author)) }
    }

    private mutating func remove(_ key: Key) {
        guard let entry = entries[key.message]?.removeValue(forKey: key.author) else { return }
        if entries[key.message]?.isEmpty == true { entries[key.message] = nil }
        keys[entry.source.id.prefix] = nil
        let rest = countsOfGivers[entry.giver, default: 1] - 1
        countsOfGivers[entry.giver] = rest > 0 ? rest : nil
        recordPassed(entry.source.id.prefix)
    }

    /// The entry to give up where a giver has given more than its share, or all together have; nil if there is room.
    private func victim(of giver: Giver) -> Key? {
        let isOfGiver = countsOfGivers[giver, default: 0] > Limits.reactionsOfGiver
        guard isOfGiver || keys.count > Limits.reactionsKept else { return nil }
        let candidates = keys.values.compactMap { key in entries[key.message]?[key.author].map { (key, $0) } }
            .filter { !isOfGiver || $0.1.giver == giver }
            .sorted { $0.1.arrival < $1.1.arrival }
        let holders = candidates.map { FairShare.Holder(giver: $0.1.giver, author: $0.0.author) }
        return FairShare.oldest(of: holders).map { candidates[$0].0 }
    }
}

extension Limits {
    /// Reactions that a conversation keeps, of all messages. More cost memory; with fewer, those of a crowd to its older messages are forgotten.
    static let reactionsKept = 4_096
    /// As many of one giver. More let one giver push out those of others; with fewer, a crowd that comes over few links loses some.
    static let reactionsOfGiver = 2_048
    /// Authors whose reactions to one message are kept: a full crowd. More let one message take the places of others; with fewer, counts
    /// stop at a smaller number.
    static let reactorsOfMessage = 1_024
    /// Reactions in a `have`. More leave no room for messages in its record; with fewer, a late joiner sees fewer of them.
    static let reactionsOffered = 184
    /// Reactions that are remembered as not kept, so that they are not asked for again. More cost memory; with fewer, neighbours send some
    /// in vain.
    static let passedReactions = 8_192
}
