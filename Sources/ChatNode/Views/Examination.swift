import Chat
package import Wire

/// Looks into a node from outside, for tests and for experiments in the simulator.
package enum Examination {
    /// The number of entries of each table by its path; nested tables are added. Reflection visits every entry.
    package static func tableSizes(of node: Node) -> [String: Int] {
        var census = TableCensus()
        for part in node.chat.parts { census.count(part.value, at: "router.\(part.name)") }
        for table in node.parts.intake.tables + node.parts.ownSession.tables {
            census.count(table.value, at: table.name)
        }
        census.count(node.parts.finder, at: "finder")
        node.parts.links.visitTables { census.count($0, at: $1) }
        for part in node.parts.mail.parts { census.count(part.value, at: "mail.\(part.name)") }
        census.count(node.parts.crowd, at: "crowd")
        census.count(node.parts.clock, at: "clock")
        census.count(node.parts.historyExchange, at: "history")
        census.count(node.parts.spread, at: "overlay")
        // Reflection reaches no class instances and no noncopyable values.
        census.add(node.connections.count, at: "connections")
        census.add(node.connections.certificatesSent, at: "connections.certificatesSent")
        census.add(node.connections.linkCount, at: "links")
        census.add(node.connections.active.count, at: "activeLinks")
        census.add(node.parts.conversations.waitingSenders + node.parts.lifecycle.waitingCount, at: "waiting")
        return census.sizes
    }

    package static func overlay(of node: Node) -> OverlaySample {
        OverlaySample(
            linked: node.connections.active.compactMap(\.peer), hops: node.parts.intake.hops,
            control: node.parts.links.control,
            messagesSent: sent(.publicMessage, by: node), reactionsSent: sent(.reaction, by: node))
    }

    private static func sent(_ type: PayloadType, by node: Node) -> Int {
        node.parts.links.tally.sent[type] + node.parts.historyExchange.sent[type]
    }

    /// Lets a node send no frame but pongs from now on, as an attacker does that others rely on.
    package static func silence(_ node: Node) { node.parts.links.silence() }
}

/// A node in its overlay, as an experiment sees it.
package struct OverlaySample: Sendable {
    /// The peers that the node has a link to.
    package let linked: [PeerID]
    /// Public messages that came live, by the links that they passed, less one.
    package let hops: [Int]
    package let control: ControlTally
    /// Public messages that were sent, once for each link, as history too.
    package let messagesSent: Int
    /// Public reactions, likewise; in a room without direct conversations all of them.
    package let reactionsSent: Int
}

/// Counts the entries of every collection in a value.
struct TableCensus {
    private(set) var sizes: [String: Int] = [:]

    mutating func add(_ count: Int, at path: String) {
        sizes[path, default: 0] += count
    }

    mutating func count(_ value: Any, at path: String) {
        let mirror = Mirror(reflecting: value)
        switch mirror.displayStyle {
        case .collection, .set, .dictionary:
            add(mirror.children.count, at: path)
            // Bytes and keys contain no further tables.
            guard let first = mirror.children.first, TableCensus.hasParts(first.value) else { return }
            for child in mirror.children { count(child.value, at: path) }
        case .struct, .tuple, .optional, .enum:
            for child in mirror.children {
                let name = child.label.flatMap { $0.hasPrefix(".") || $0 == "some" ? nil : $0 }
                count(child.value, at: name.map { "\(path).\($0)" } ?? path)
            }
        default:
            return
        }
    }

    private static func hasParts(_ value: Any) -> Bool {
        !(value is any BinaryInteger) && !(value is PeerID) && !(value is MessageID)
    }
}
