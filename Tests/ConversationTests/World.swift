import Chat
import ChatNode
import Synchronization
import Testing
import Wire

/// A network with nodes on it: the simulated one in virtual time, or real TCP on loopback.
protocol World: Sendable {
    /// Starts a node.
    func person(_ nickname: String, configure: @Sendable (inout NodeConfiguration) -> Void) async throws -> any Person

    /// Waits, in the world's own time, until `condition` holds; false if it does not within `limit`.
    func wait(atMost limit: Duration, until condition: @escaping @Sendable () -> Bool) async -> Bool

    /// Ends everything.
    func close() async
}

/// A node with the actions and the view of its user.
protocol Person: AnyObject, Sendable {
    var key: PeerID { get }
    var told: Told { get }

    /// Runs `body` inside the node.
    func perform<Result: Sendable>(
        _ body: @escaping @Sendable (Node) throws(ChatError) -> Result
    ) async throws(ChatError) -> Result

    /// Leaves politely.
    func leave() async
}

/// Everything that a node has told, in order.
final class Told: Sendable {
    private let log = Mutex<[NodeEvent]>([])

    var events: [NodeEvent] { log.withLock { $0 } }

    func append(_ batch: [NodeEvent]) {
        log.withLock { $0 += batch }
    }

    var messages: [MessageView] {
        events.compactMap { if case .message(let message) = $0 { message } else { nil } }
    }

    func hasSeen(_ other: any Person) -> Bool {
        isLastSeen(other, here: true)
    }

    func hasLost(_ other: any Person) -> Bool {
        isLastSeen(other, here: false)
    }

    private func isLastSeen(_ other: any Person, here: Bool) -> Bool {
        let states = events.compactMap { event -> PresenceState? in
            if case .peer(let state, let who, _, _, _) = event, who.key == other.key { state } else { nil }
        }
        return states.last.map { ($0 != .left) == here } ?? false
    }
}

extension World {
    func person(_ nickname: String) async throws -> any Person {
        try await person(nickname) { _ in }
    }

    func wait(until condition: @escaping @Sendable () -> Bool) async -> Bool {
        await wait(atMost: .seconds(20), until: condition)
    }

    /// Waits until every user sees every other user.
    func meet(_ people: any Person...) async -> Bool {
        await wait {
            people.allSatisfy { one in people.allSatisfy { $0.key == one.key || one.told.hasSeen($0) } }
        }
    }
}

/// Which network a test runs on.
enum WorldKind: CaseIterable, CustomTestStringConvertible {
    case simulated
    case tcp

    func make() throws -> any World {
        switch self {
        case .simulated: SimulatedWorld(seed: 4)
        case .tcp: TCPWorld()
        }
    }

    var testDescription: String {
        switch self {
        case .simulated: "simulated"
        case .tcp: "TCP"
        }
    }

    /// Runs `body` in a new world and ends it.
    func run(_ body: (any World) async throws -> Void) async throws {
        let world = try make()
        do {
            try await body(world)
        } catch {
            await world.close()
            throw error
        }
        await world.close()
    }
}
