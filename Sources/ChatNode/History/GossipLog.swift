import Chat
import Wire

/// The last `Limits.offeredPayloads` payloads that were archived from other peers (Protocol.md section 7).
///
/// Entries are numbered from 0. A new entry overwrites the oldest one in place.
struct GossipLog {
    struct Entry {
        let item: Archive.Item
        let age: Age

        var at: Instant { age.at }
    }

    /// When a payload was archived.
    struct Age {
        let at: Instant
        /// Count of archived payloads including this one and own ones: each can evict an older payload.
        let archived: UInt64
    }

    private static let capacity = UInt64(Limits.offeredPayloads)

    private var entries: [Entry] = []
    /// Number of the next entry.
    private(set) var end: UInt64 = 0

    mutating func append(_ entry: Entry) {
        let place = Int(end % GossipLog.capacity)
        if place == entries.count { entries.append(entry) } else { entries[place] = entry }
        end += 1
    }

    /// - Parameter number: of an entry that is still in the log.
    subscript(number: UInt64) -> Entry { entries[Int(number % GossipLog.capacity)] }

    /// The numbers of the entries from `number` on that are still in the log.
    func numbers(from number: UInt64) -> Range<UInt64> { max(number, end - min(end, GossipLog.capacity))..<end }
}

/// All ids that can be offered at one moment, with the places of the log's entries among them.
struct HistoryList {
    /// In the order in which a peer should receive the payloads.
    let ids: [UInt64]
    /// Index in `ids` of each entry of the log; nil for a payload that is no longer archived.
    private let places: [Int?]
    private let first: UInt64

    init(_ ids: [UInt64], _ log: GossipLog) {
        let placeOfID = Dictionary(zip(ids, ids.indices)) { first, _ in first }
        let numbers = log.numbers(from: 0)
        self.ids = ids
        places = numbers.map { placeOfID[log[$0].item.id] }
        first = numbers.lowerBound
    }

    /// - Parameter number: of an entry that was in the log when the list was made.
    func place(of number: UInt64) -> Int? { places[Int(number - first)] }
}
