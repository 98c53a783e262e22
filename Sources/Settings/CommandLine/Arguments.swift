import Composition
import Discovery

/// What the command line asks for, checked: everything in it can be used as it is.
struct Arguments: Hashable, Sendable {
    enum Format: Hashable, Sendable { case automatic, json, plain }
    typealias Discovery = LocalNetwork.Discovery

    var nickname: String?
    /// The file that keeps the identity; nil for one that lasts as long as the program.
    var identity: String?
    /// Where its pass phrase is read; nil for the terminal.
    var phraseDescriptor: CInt?
    var room = "lobby"
    var peers: [PeerAddress] = []
    /// 0 for a port of the system's choice.
    var port: UInt16 = 0
    /// Names of the only interfaces to use; empty for all.
    var interfaces: [String] = []
    var discovery = Discovery.auto
    var sharesHistory = true
    var readReceipts = false
    var format = Format.automatic
    /// Messages per second; nil for the protocol's own figure, 0 for no limit.
    var rate: Double?
    var isQuiet = false
    /// Whether the terminal is asked to show a notification where it rings.
    var notifies = false
    var logLevel = LogLevel.warning
    var control = ControlChoice.own
    /// Whether the program may run with root's rights.
    var allowsRoot = false
    var configuration = ConfigurationChoice.own

    var network: LocalNetwork {
        var network = LocalNetwork()
        network.discovery = discovery
        network.interfaces = interfaces
        network.peers = peers
        return network
    }
}
