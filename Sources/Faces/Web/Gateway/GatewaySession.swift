import Chat
import ChatNode
import Commands
import Phrases
import Wire

/// One client of a gateway, as a value: the server brings input, answers, reports and time, and performs the effects.
protocol GatewaySession: Sendable {
    /// Takes a WebSocket message, or bytes of a TCP connection.
    mutating func receive(_ input: [UInt8], at now: Instant) -> [GatewayEffect]
    /// No more input comes; the input before takes effect all the same.
    mutating func end(at now: Instant) -> [GatewayEffect]
    /// Takes the answer or error of the command that `perform` asked for; nothing for one without an answer, nil if the node
    /// leaves instead. A second call for one number changes nothing.
    mutating func complete(_ number: Int, _ reports: [RoomReport]?, at now: Instant) -> [GatewayEffect]
    /// Takes an event of a node, in the order in which the events happened.
    mutating func tell(_ report: RoomReport, at now: Instant) -> [GatewayEffect]
    /// Is called at `deadline`.
    mutating func tick(at now: Instant) -> [GatewayEffect]
    /// Whether the client is to stay: it has shown the token.
    var hasShownToken: Bool { get }
    /// Nil if nothing is due.
    var deadline: Instant? { get }
    /// Whether nothing follows.
    var isOver: Bool { get }
}

/// An effect of a gateway's session.
enum GatewayEffect: Hashable, Sendable {
    /// With its topic, by which it leaves a queue once its text is to be forgotten; nil for bytes without a text.
    case send([UInt8], of: EventTopic?)
    case perform(number: Int, Command, in: GatewayRoom)
    /// Closes the connection once all output is sent.
    case close
    /// The client has not shown the token; to be counted.
    case refused
}

/// The room of a command, as the client of a gateway names it.
enum GatewayRoom: Hashable, Sendable {
    case open
    case named(String)
}

extension CommandExecutor {
    /// Performs a command for the client of a gateway, which takes the events of the nodes too.
    ///
    /// - Parameter deliver: takes the answer or error in the node's turn, behind the events before and in front of those after;
    ///   nothing for a command without an answer; nil if the node leaves instead. Calls behind the first one are void.
    func perform(
        _ command: Command, in room: GatewayRoom, _ deliver: @escaping @Sendable ([RoomReport]?) -> Void
    ) async {
        await perform(command, in: room, deliver, rooms)
    }

    /// Finds the room where the nodes live, so that the commands of a client stay in order.
    private func perform(
        _ command: Command, in room: GatewayRoom, _ deliver: @escaping @Sendable ([RoomReport]?) -> Void,
        _ rooms: isolated Program
    ) async {
        var label: RoomLabel?
        if case .named(let name) = room {
            label = rooms.label(named: name)
            guard label != nil else {
                return deliver([RoomReport(ChatError(.unknownRoom, .unknownRoom, name), in: rooms.openLabel)])
            }
        }
        let isDone = await obey(command, in: label, isPaced: true) { deliver([$0]) }
        deliver(isDone ? [] : nil)
    }
}
