import Synchronization

/// The reports that wait to be shown, in order: events of the node and results of input.
///
/// Bounded, because a reader that stops must not fill the memory: the oldest reports are dropped then, and counted. A
/// caller that can wait does so before it adds: see `waitForSpace`.
package final class ReportQueue: Sendable {
    /// In reports; hours of a busy room.
    package static let capacity = 65_536
    /// With so many reports waiting, no more input is read.
    static let ample = 256

    private struct State {
        /// Those before `first` are taken.
        var reports: [RoomReport] = []
        var first = 0
        var dropped = 0
        var taker: CheckedContinuation<[RoomReport], Never>?
        /// The next caller of `next` gets an empty batch at once.
        var isWoken = false
        var feeders: [CheckedContinuation<Void, Never>] = []

        var count: Int { reports.count - first }

        mutating func take() -> [RoomReport] {
            let batch = Array(reports[first...].prefix(ReportQueue.ample))
            discard(batch.count)
            return batch
        }

        /// Removes snapshots of a room, of which a later one says all: each can be large.
        mutating func removeSnapshots(of room: RoomLabel) {
            reports.removeFirst(first)
            first = 0
            reports.removeAll { if case .snapshot = $0.report { $0.room == room } else { false } }
        }

        /// Moves the remaining reports only when they are the smaller half.
        mutating func discard(_ number: Int) {
            first += number
            guard first > reports.count / 2 else { return }
            reports.removeFirst(first)
            first = 0
        }
    }

    private let state = Mutex(State())

    package init() {}

    /// Puts reports behind those that wait. From any thread.
    package func append(_ new: [RoomReport]) {
        guard !new.isEmpty else { return }
        let handOver = state.withLock {
            state -> (taker: CheckedContinuation<[RoomReport], Never>, batch: [RoomReport])? in
            for report in new { if case .snapshot = report.report { state.removeSnapshots(of: report.room) } }
            state.reports += new
            let excess = max(0, state.count - ReportQueue.capacity)
            state.discard(excess)
            state.dropped += excess
            guard let taker = state.taker else { return nil }
            state.taker = nil
            return (taker, state.take())
        }
        handOver?.taker.resume(returning: handOver?.batch ?? [])
    }

    /// Has `next` return an empty batch once no reports wait. From any thread.
    package func wake() {
        let taker = state.withLock { state in
            state.isWoken = state.taker == nil
            return state.taker.take()
        }
        taker?.resume(returning: [])
    }

    /// The oldest reports, at most 256, waited for: none only after `wake`. For one caller at a time.
    package func next() async -> [RoomReport] {
        await withCheckedContinuation { taker in
            let (batch, feeders) = state.withLock { state -> ([RoomReport]?, [CheckedContinuation<Void, Never>]) in
                guard state.count > 0 else {
                    if exchange(&state.isWoken, with: false) { return ([], []) }
                    state.taker = taker
                    return (nil, [])
                }
                let batch = state.take()
                guard state.count < ReportQueue.ample else { return (batch, []) }
                defer { state.feeders = [] }
                return (batch, state.feeders)
            }
            if let batch { taker.resume(returning: batch) }
            for feeder in feeders { feeder.resume() }
        }
    }

    /// Returns while fewer than 256 reports wait, and otherwise when that is so.
    func waitForSpace() async {
        await withCheckedContinuation { feeder in
            let hasSpace = state.withLock { state in
                guard state.count >= ReportQueue.ample else { return true }
                state.feeders.append(feeder)
                return false
            }
            if hasSpace { feeder.resume() }
        }
    }

    /// The number of reports that wait.
    package var count: Int { state.withLock { $0.count } }

    /// The number of reports that were dropped unseen.
    package var dropped: Int { state.withLock { $0.dropped } }
}

/// Shows reports in the order in which they come.
package protocol ReportDisplay: Sendable {
    /// - Returns: false once the display has failed for good: the program leaves then.
    func show(_ reports: [RoomReport]) async -> Bool

    /// Ends the display: no report follows, and no line is read.
    func finish() async
}
