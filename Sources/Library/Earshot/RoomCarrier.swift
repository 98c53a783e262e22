/// Carries the calls that wait in a room. A simulated network lets its time pass meanwhile.
package protocol RoomCarrier: Sendable {
    /// Performs `body` and returns its result; it is cancelled with the caller.
    func carry<Result: Sendable>(
        _ body: @escaping @Sendable () async throws -> Result
    ) async throws -> Result
}

/// The carrier of a real network, whose time passes by itself.
struct DirectCarrier: RoomCarrier {
    func carry<Result: Sendable>(
        _ body: @escaping @Sendable () async throws -> Result
    ) async throws -> Result { try await body() }
}
