/// The events of a room in their order, from its joining on.
///
/// There is one sequence for a room: two readers share it, and each event goes to one of them. At most `capacity` events wait;
/// a reader that is slower gets `Event.missed(_:)` in the place of the oldest. The sequence ends when the room is left, and for a
/// reader whose task is cancelled.
public struct Events: AsyncSequence, Sendable {
    /// The most events that wait for a slow reader.
    public static let capacity = 1_024

    let room: Room

    /// Reads the events.
    public struct Iterator: AsyncIteratorProtocol, Sendable {
        let room: Room

        /// The next event, waited for; nil at the end.
        public mutating func next() async -> Event? { await next(isolation: #isolation) }

        /// The next event, waited for in the isolation of the caller; nil at the end.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> Event? {
            let buffer = room.owner.buffer
            let item = try? await room.carrier.carry { await buffer.next() }
            switch item ?? nil {
            case .event(let event): return Event(event, in: room)
            case .missed(let count): return .missed(count)
            case nil: return nil
            }
        }
    }

    /// A reader of the one sequence.
    public func makeAsyncIterator() -> Iterator { Iterator(room: room) }
}
