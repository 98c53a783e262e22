internal import Chat
internal import Synchronization

/// The events of a room that wait for their reader, in order. It is bounded: the oldest are dropped and counted.
final class EventBuffer: Sendable {
    enum Item: Sendable {
        case event(NodeEvent)
        case missed(Int)
    }

    private struct State {
        var events: [NodeEvent] = []
        var missed = 0
        var isEnded = false
        var lastTicket = 0
        var readers: [(ticket: Int, reader: CheckedContinuation<Item?, Never>)] = []

        mutating func take() -> Item? {
            if missed > 0 {
                defer { missed = 0 }
                return .missed(missed)
            }
            return events.isEmpty ? nil : .event(events.removeFirst())
        }
    }

    private let state = Mutex(State())

    /// Puts events behind those that wait. From any thread.
    func append(_ new: [NodeEvent]) {
        let served = state.withLock { state in
            state.events += new.filter(Event.isShown)
            let excess = max(0, state.events.count - Events.capacity)
            state.events.removeFirst(excess)
            state.missed += excess
            var served: [(CheckedContinuation<Item?, Never>, Item)] = []
            while !state.readers.isEmpty, let item = state.take() {
                served.append((state.readers.removeFirst().reader, item))
            }
            return served
        }
        for (reader, item) in served { reader.resume(returning: item) }
    }

    /// No event follows. Those that wait are still read.
    func finish() {
        let readers = state.withLock { state in
            state.isEnded = true
            defer { state.readers = [] }
            return state.readers
        }
        for (_, reader) in readers { reader.resume(returning: nil) }
    }

    /// The next event; nil behind the last one, and for a task that is cancelled.
    func next() async -> Item? {
        let ticket = state.withLock { state in
            state.lastTicket += 1
            return state.lastTicket
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { reader in
                let answer: Item?? = state.withLock { state in
                    guard !Task.isCancelled else { return .some(nil) }
                    if let item = state.take() { return .some(item) }
                    guard !state.isEnded else { return .some(nil) }
                    state.readers.append((ticket, reader))
                    return nil
                }
                if let answer { reader.resume(returning: answer) }
            }
        } onCancel: {
            let reader = state.withLock { state in
                state.readers.firstIndex { $0.ticket == ticket }.map { state.readers.remove(at: $0).reader }
            }
            reader?.resume(returning: nil)
        }
    }
}
