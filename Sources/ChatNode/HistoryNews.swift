import Chat
import Wire

/// What was taken into the public conversation last, as much of it as is ever offered (Protocol.md section 7).
///
/// Each has a number, from 0 on. The newest takes the place of the oldest, so that none is ever moved.
struct HistoryNews {
    struct Entry {
        let item: Archive.Item
        let at: Instant
        /// How much had been taken in with it, ours too: all of it takes the place of what came before.
        let archived: UInt64
    }

    private static let capacity = UInt64(Limits.offeredPayloads)

    private var entries: [Entry] = []
    /// The number that the next one gets.
    private(set) var end: UInt64 = 0

    mutating func append(_ entry: Entry) {
        let place = Int(end % HistoryNews.capacity)
        if place == entries.count { entries.append(entry) } else { entries[place] = entry }
        end += 1
    }

    /// The number itself, or that of the oldest that is remembered if that is higher.
    func firstRemembered(from number: UInt64) -> UInt64 { max(number, end - min(end, HistoryNews.capacity)) }

    /// Those that are remembered of a number and all that came behind it, the oldest first.
    func since(_ number: UInt64) -> some Sequence<Entry> {
        (firstRemembered(from: number)..<end).lazy.map { [entries] in entries[Int($0 % HistoryNews.capacity)] }
    }
}
