package import Process
package import Composition
package import Discovery

/// The settings of a chat, checked: every value can be used as it is.
package struct Arguments: Hashable, Sendable {
    package enum Format: Hashable, Sendable { case automatic, json, plain }
    package typealias Discovery = LocalNetwork.Discovery

    package var nickname: String?
    /// The file that keeps the identity; nil for one that lasts as long as the program.
    package var identity: String?
    /// Where its pass phrase is read; nil for the terminal.
    package var phraseDescriptor: CInt?
    package var roomChoice = RoomChoice()
    package var peers: [PeerAddress] = []
    /// 0 for a port of the system's choice.
    package var port: UInt16 = 0
    /// Names of the only interfaces to use; empty for all.
    package var interfaces: [String] = []
    package var discovery = Discovery.auto
    package var sharesHistory = true
    package var readReceipts = false
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
    /// Whether the program may run with root's rights.
    var allowsRoot = false
    package var configuration = ConfigurationChoice.own

    package init() {}

    package var network: LocalNetwork {
        var network = LocalNetwork()
        network.discovery = discovery
        network.interfaces = interfaces
        network.peers = peers
        return network
    }
}
