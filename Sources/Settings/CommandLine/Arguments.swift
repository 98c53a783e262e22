import Commands
package import Reactor
import Wire
package import Discovery

/// The settings of a chat, checked: every value can be used as it is.
package struct Arguments: Hashable, Sendable {
    package enum Format: Hashable, Sendable { case automatic, json, plain }
    package typealias Discovery = LocalNetwork.Discovery

    /// The rooms, at least one; the first is open at the start and uses the kept identity.
    package private(set) var rooms = [RoomSetup()]
    /// The file that keeps the identity; nil for one that lasts as long as the program.
    package var identity: String?
    /// Where its pass phrase is read; nil for the terminal.
    package var phraseDescriptor: CInt?
    /// Names of the only interfaces to use; empty for all.
    package var interfaces: [String] = []
    package var discovery = Discovery.auto
    package var sharesHistory = true
    package var readReceipts = false
    package var sendsCover = false
    /// Whether standard input is read.
    package var readsInput = true
    package var format = Format.automatic
    /// Messages per second; nil for the protocol's own figure, 0 for no limit.
    package var rate: Double?
    /// All conversations in one stream in a terminal, instead of the open one alone.
    package var showsAll = false
    package var isQuiet = false
    /// Whether the terminal is asked to show a notification where it rings.
    package var notifies = false
    package var logLevel = LogLevel.warning
    package var control = ControlChoice.own
    /// The port of the page and of other programs' requests over HTTP; 0 for any, nil for none.
    package var webPort: UInt16?
    /// Whether the page is opened in the user's browser at the start.
    package var opensPage = false
    /// The file that keeps the token of the page and the gateways; nil for a new token.
    package var tokenFile: String?
    /// The port of the STOMP gateway; 0 for any, nil for none.
    package var stompPort: UInt16?
    /// The port of the IRC gateway; 0 for any, nil for none.
    package var ircPort: UInt16?
    /// Whether the program may run with root's rights.
    var allowsRoot = false
    package var configuration = ConfigurationChoice.own

    package init() {}

    /// Whether the node goes on without input: programs reach it at a place that was asked for, or none is wanted.
    package var outlivesInput: Bool {
        if case .path = control { return true }
        return !readsInput || webPort != nil || stompPort != nil || ircPort != nil
    }

    /// The room that was named last, which further options are about.
    package var roomChoice: RoomChoice {
        get { rooms[rooms.count - 1].choice }
        set { changeRoom { $0.choice = newValue } }
    }

    /// The bridge of the room that was named last.
    package var bridge: BridgeChoice {
        get { rooms[rooms.count - 1].bridge }
        set { changeRoom { $0.bridge = newValue } }
    }

    /// Those of the first room.
    package var room: String { rooms[0].choice.name }
    package var nickname: String? { rooms[0].nickname }
    package var port: UInt16 { rooms[0].port }
    package var peers: [PeerAddress] { rooms[0].peers }

    /// Names the room that is there, or adds one if that has a name; false for one more than `Limits.rooms`.
    package mutating func name(room: String) -> Bool {
        if roomChoice.isNamed {
            guard rooms.count < Limits.rooms else { return false }
            rooms.append(RoomSetup())
        }
        roomChoice.name(room)
        return true
    }

    /// Changes the room that was named last.
    mutating func changeRoom(_ change: (inout RoomSetup) -> Void) { change(&rooms[rooms.count - 1]) }

    /// How the node of a room takes part in the network.
    package func network(of room: RoomSetup) -> LocalNetwork {
        var network = LocalNetwork()
        network.discovery = discovery
        network.interfaces = interfaces
        network.peers = room.peers
        return network
    }
}

/// The settings of one room.
package struct RoomSetup: Hashable, Sendable {
    package var choice = RoomChoice()
    package var nickname: String?
    package var peers: [PeerAddress] = []
    /// 0 for a port of the system's choice.
    package var port: UInt16 = 0
    package var bridge = BridgeChoice()
    /// Whether bridges may carry what the user says; nil for the room's own default.
    package var consentsToBridges: Bool?

    package init() {}
}
