internal import Synchronization

/// An element of `ControlEvents`.
public enum ControlEvent: Sendable, Hashable {
    /// A line of the node: an event of Docs/JSON.md, or one of the three lines that Docs/Control.md adds to a tail.
    case line(ControlLine)
    /// The reader was too slow: this many lines were dropped, which were older than the next one.
    case missed(Int)
}

/// The events of a node in their order, for one reader.
///
/// At most `capacity` lines wait; a reader that is slower gets `ControlEvent.missed(_:)` in the place of the oldest. When the node leaves, the lines that wait
/// are read first, and then the sequence ends. It also ends for a reader whose task is cancelled.
public struct ControlEvents: AsyncSequence, Sendable {
    /// The most lines that wait for a slow reader.
    public static let capacity = 4_096

    /// A line with the number of those before it.
    struct Arrival: Sendable {
        let number: Int
        let line: ControlLine
    }

    private let stream: AsyncThrowingStream<Arrival, any Error>
    private let place = Place()

    init(_ stream: AsyncThrowingStream<Arrival, any Error>) { self.stream = stream }

    /// How far the reader is, in whichever of its loops.
    fileprivate final class Place: Sendable {
        private struct State {
            var next = 0
            var held: ControlLine?
        }

        private let state = Mutex(State())

        /// The line behind a report of missed ones.
        func takeHeld() -> ControlLine? {
            state.withLock { state in
                defer { state.held = nil }
                return state.held
            }
        }

        func event(of arrival: Arrival) -> ControlEvent {
            state.withLock { state in
                let missed = arrival.number - state.next
                state.next = arrival.number + 1
                guard missed > 0 else { return .line(arrival.line) }
                state.held = arrival.line
                return .missed(missed)
            }
        }
    }

    /// Reads the events.
    public struct Iterator: AsyncIteratorProtocol {
        private var arrivals: AsyncThrowingStream<Arrival, any Error>.Iterator
        private let place: Place

        fileprivate init(_ stream: AsyncThrowingStream<Arrival, any Error>, _ place: Place) {
            (arrivals, self.place) = (stream.makeAsyncIterator(), place)
        }

        /// The next event, waited for; nil at the end.
        ///
        /// - Throws: `ControlError` with `closed` where the connection ended before the node has left: it was killed, or
        ///   has disconnected a program that leaves more than 4 MiB unread; `refused` with `leaving` for a node that was about to leave.
        public mutating func next() async throws(ControlError) -> ControlEvent? {
            try await next(isolation: #isolation)
        }

        /// The next event, waited for in the isolation of the caller; nil at the end.
        ///
        /// - Throws: as `next()`.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(ControlError) -> ControlEvent? {
            if let line = place.takeHeld() { return .line(line) }
            do {
                return try await arrivals.next(isolation: actor).map { place.event(of: $0) }
            } catch {
                throw error as? ControlError ?? .closed
            }
        }
    }

    /// A reader; one at a time.
    public func makeAsyncIterator() -> Iterator { Iterator(stream, place) }
}
