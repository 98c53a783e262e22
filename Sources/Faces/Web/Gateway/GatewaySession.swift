import Chat
import ChatNode
import Commands
import Phrases
import Wire

/// One client of a gateway, as a value: the server brings input, answers, reports and time, and performs the effects.
protocol GatewaySession: Sendable {
    /// Takes a WebSocket message, or bytes of a TCP connection.
    mutating func receive(_ input: [UInt8], at now: Instant) -> [GatewayEffect]
    /// Takes the events and the answer or error of the command that `perform` asked for.
    mutating func complete(_ number: Int, _ reports: [RoomReport], at now: Instant) -> [GatewayEffect]
    /// Takes an event of a node, in the order in which the events happened.
    mutating func tell(_ report: RoomReport, at now: Instant) -> [GatewayEffect]
    /// Is called at `deadline`.
    mutating func tick(at now: Instant) -> [GatewayEffect]
    /// Nil if nothing is due.
    var deadline: Instant? { get }
}

/// An effect of a gateway's session.
enum GatewayEffect: Hashable, Sendable {
    case send([UInt8])
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
    /// The room in which a peer is known.
    case of(PeerID)
}

extension CommandExecutor {
    /// Performs a command for the client of a gateway.
    func reports(of command: Command, in room: GatewayRoom) async -> [RoomReport] {
        let label: RoomLabel?
        switch room {
        case .open: label = nil
        case .named(let name):
            label = rooms.named(name)?.label
            guard label != nil else { return [RoomReport(ChatError(.unknownRoom, .unknownRoom, name), of: rooms)] }
        case .of(let peer):
            label = await snapshot { rooms in
                rooms.first { $0.peers.contains { $0.who.key == peer } }?.overview.room
            }.flatMap(\.self)
        }
        return await reports(of: command, in: label) ?? []
    }
}
