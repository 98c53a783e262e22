import Chat
import Wire

/// What was taken into the public conversation last, as much of it as is ever offered (Protocol.md section 7).
///
/// Each has a number, from 0 on. The newest takes the place of the oldest, so that none is ever moved.
struct GossipLog {
    struct Entry {
        let item: Archive.Item
        let age: Age

        var at: Instant { age.at }
    }

    /// When something came.
    struct Age {
        let at: Instant
        /// How much had been taken in with it, ours too: all of it takes the place of what came before.
        let archived: UInt64
    }

    private static let capacity = UInt64(Limits.offeredPayloads)

    private var entries: [Entry] = []
    /// The number that the next one gets.
    private(set) var end: UInt64 = 0

    mutating func append(_ entry: Entry) {
        let place = Int(end % GossipLog.capacity)
        if place == entries.count { entries.append(entry) } else { entries[place] = entry }
        end += 1
    }

    /// For a number that is remembered.
    subscript(number: UInt64) -> Entry { entries[Int(number % GossipLog.capacity)] }

    /// The numbers that are remembered of one and all that came behind it.
    func numbers(from number: UInt64) -> Range<UInt64> { max(number, end - min(end, GossipLog.capacity))..<end }
}

/// What there is to offer at one moment, with the places that news has in it.
struct HistoryList {
    /// In the order in which others should get it.
    let ids: [UInt64]
    /// Of all news that is remembered; nil for what is not kept any more.
    private let places: [Int?]
    private let first: UInt64

    init(_ ids: [UInt64], _ news: GossipLog) {
        let placeOfID = Dictionary(zip(ids, ids.indices)) { first, _ in first }
        let numbers = news.numbers(from: 0)
        self.ids = ids
        places = numbers.map { placeOfID[news[$0].item.id] }
        first = numbers.lowerBound
    }

    /// For a number that was remembered when the list was made.
    func place(of number: UInt64) -> Int? { places[Int(number - first)] }
}
