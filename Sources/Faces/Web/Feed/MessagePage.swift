import Chat
import Wire

/// A page of messages, by the ids at its ends (keyset paging).
struct MessagePage {
    let messages: [MessageView]
    /// The cursor `after` of the messages behind it; nil if there is none.
    let next: MessageID?
    /// The cursor `before` of those in front of it.
    let previous: MessageID?

    /// - Returns: nil for a cursor that has no place.
    init?(of all: [MessageStore.Place], before: MessageID?, after: MessageID?, limit: Int) {
        var range = all.indices
        if let after {
            guard let index = all.firstIndex(where: { $0.id == after }) else { return nil }
            range = index + 1..<range.upperBound
        }
        if let before {
            guard let index = all.firstIndex(where: { $0.id == before }) else { return nil }
            range = range.lowerBound..<max(range.lowerBound, index)
        }
        let there = range.filter { all[$0].message != nil }
        let page = after == nil ? there.suffix(limit) : there.prefix(limit)
        messages = page.compactMap { all[$0].message }
        let isThere = { (place: MessageStore.Place) in place.message != nil }
        next = page.last.flatMap { all[($0 + 1)...].contains(where: isThere) ? all[$0].id : nil }
        previous = page.first.flatMap { all[..<$0].contains(where: isThere) ? all[$0].id : nil }
    }
}
