public import Earshot
internal import Synchronization

/// A bot in a room of a simulated network.
public struct SimulatedBot: Sendable {
    /// The room of the bot, as for `SimulatedNetwork.vanish(_:)` and `SimulatedNetwork.partition(_:)`.
    public let room: Room
    /// Kept as long as the value.
    let network: SimulatedNetwork
    let task: Task<Void, any Error>
    let failures: BotFailures
    /// The room of the bot that the present task is.
    @TaskLocal static var running: ObjectIdentifier?

    /// Cancels the task of the bot, which leaves its room then.
    public func cancel() { task.cancel() }

    /// Lets virtual time pass until the bot has ended and left its room. After `SimulatedNetwork.callTimeout` the bot is cancelled. A bot
    /// does not wait for its own end.
    ///
    /// - Throws: the error that the bot has thrown, which `SimulatedNetwork.run(for:)` does not throw any more; `CancellationError` for a
    ///   bot that had to be cancelled.
    public func waitForEnd() async throws {
        precondition(SimulatedBot.running != ObjectIdentifier(room), "a bot waits for its own end")
        defer { failures.remove(of: room) }
        try await room.carrier.carry { [task] in
            try await withTaskCancellationHandler {
                try await task.value
            } onCancel: {
                task.cancel()
            }
            try Task.checkCancellation()
        }
    }
}

/// The errors of bots that no call of a test has thrown yet, in their order.
final class BotFailures: Sendable {
    private let waiting = Mutex<[(room: Room, error: any Error)]>([])

    /// To be called in the task of the bot.
    func record(_ error: any Error, of room: Room) {
        // A test that cancels a bot knows of it.
        if error is CancellationError, Task.isCancelled { return }
        waiting.withLock { $0.append((room, error)) }
    }

    func remove(of room: Room) { waiting.withLock { all in all.removeAll { $0.room == room } } }

    func takeFirst() -> (any Error)? { waiting.withLock { $0.isEmpty ? nil : $0.removeFirst().error } }
}
