import Chat
import ChatNode
import Discovery
import Wire

/// The command line of a node in a measured group: `NUMBER`, then options of `earshot chat`.
///
/// Nothing else differs from the program with `--rate 1000000`.
struct GroupNodeSettings: Sendable {
    static let usage =
        "node NUMBER [--room NAME] [--port N] [--discovery WAY] [--interface NAME]... [--peer HOST:PORT]..."

    /// Which node of the group it is, from 0.
    let number: Int
    private(set) var configuration = NodeConfiguration()
    private(set) var network = LocalNetwork()

    /// Nil for words that mean nothing.
    init?(_ words: [String]) {
        guard let first = words.first, let number = Int(first), number >= 0, words.count.isMultiple(of: 2) == false
        else { return nil }
        self.number = number
        configuration.messagesPerSecond = 0
        for index in stride(from: 1, to: words.count, by: 2) {
            guard take(words[index], words[index + 1]) else { return nil }
        }
    }

    private mutating func take(_ option: String, _ value: String) -> Bool {
        switch option {
        case "--room": configuration.room = Room(openNamed: value)
        case "--interface": network.interfaces.append(value)
        case "--port":
            guard let port = UInt16(value) else { return false }
            configuration.port = port
        case "--discovery":
            guard let way = LocalNetwork.Discovery(rawValue: value) else { return false }
            network.discovery = way
        case "--peer":
            guard let peer = PeerAddress(value) else { return false }
            network.peers.append(peer)
        default: return false
        }
        return true
    }
}
