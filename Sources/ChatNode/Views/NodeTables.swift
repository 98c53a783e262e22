import Chat
package import Wire

extension Node {
    /// Returns the number of entries of each table by its path; nested tables are summed. For tests and experiments only:
    /// reflection visits every entry. The router names its parts itself.
    package func tableSizes() -> [String: Int] {
        var census = TableCensus()
        for part in router.parts { census.count(part.value, at: "router.\(part.name)") }
        census.count(admission, at: "admission")
        census.count(finder, at: "finder")
        links.visitTables { census.count($0, at: $1) }
        census.count(certificates, at: "certificates")
        census.count(login, at: "login")
        for part in mail.parts { census.count(part.value, at: "mail.\(part.name)") }
        census.count(crowd, at: "crowd")
        census.count(clock, at: "clock")
        census.count(typingTracker, at: "typingTracker")
        census.count(historyExchange, at: "history")
        census.count(overlay, at: "overlay")
        // Reflection reaches no class instances and no noncopyable values.
        census.note(connections.count, at: "connections")
        census.note(connections.certificatesSent, at: "connections.certificatesSent")
        census.note(connections.linkCount, at: "links")
        census.note(connections.activeLinks.count, at: "activeLinks")
        census.note(waitingToSend.count + waitingToLeave.count, at: "waiting")
        return census.sizes
    }
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
}

extension Node {
    /// For experiments only.
    package func overlaySample() -> OverlaySample {
        return OverlaySample(
            linked: connections.activeLinks.compactMap(\.peer), hops: counts.hops, control: links.control,
            messagesSent: links.tally.sent[.publicMessage] + historyExchange.sent[.publicMessage])
    }

    /// The peers that the node has a link to: in a crowd not all that are here.
    package func linkCount() -> Int { connections.activeLinks.count }

    /// Sends no frame but pongs from now on, as an attacker of an experiment that others rely on does.
    package func fallSilent() {
        isSilent = true
        for link in connections.all { link.mute() }
    }
}

/// Counts the entries of every collection in a value.
struct TableCensus {
    private(set) var sizes: [String: Int] = [:]

    mutating func note(_ count: Int, at path: String) {
        sizes[path, default: 0] += count
    }

    mutating func count(_ value: Any, at path: String) {
        let mirror = Mirror(reflecting: value)
        switch mirror.displayStyle {
        case .collection, .set, .dictionary:
            note(mirror.children.count, at: path)
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
