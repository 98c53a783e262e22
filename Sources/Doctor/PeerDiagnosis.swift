import Discovery

/// Judges which nodes answered: those of this machine prove nothing about the network.
struct PeerDiagnosis {
    private let nodes: NodeCounts
    private let room: String
    private let outward: [InterfaceObservation]

    /// - Parameter outward: the interfaces that lead out of this machine and carry multicast.
    init(_ nodes: NodeCounts, room: String, outward: [InterfaceObservation]) {
        self.nodes = nodes
        self.room = room
        self.outward = outward
    }

    var findings: [Finding] { own + [unreachable, others].compactMap(\.self) }

    /// Nil where each node that was heard can be dialled.
    private var unreachable: Finding? {
        guard nodes.unreachable > 0 else { return nil }
        let verb = nodes.unreachable == 1 ? "is" : "are"
        return .problem(
            .unreachable,
            "\(Self.counted(nodes.unreachable)) of the room \(room) \(verb) heard, but at no address that can be reached: "
                + "they are on this link, with addresses of another network",
            "give this machine and those addresses of one network, or let them use IPv6")
    }

    private var own: [Finding] {
        if nodes.own > 0 {
            let verb = nodes.own == 1 ? "runs" : "run"
            return [.ok(.ownNode, "\(Self.counted(nodes.own)) of the room \(room) \(verb) on this machine")]
        }
        guard nodes.ownOthers > 0 else { return [] }
        let verb = nodes.ownOthers == 1 ? "runs" : "run"
        return [.ok(.ownNode, "\(Self.counted(nodes.ownOthers)) of other rooms \(verb) on this machine")]
    }

    /// Nil where no packet of another machine could be heard, which other findings explain.
    private var others: Finding? {
        if nodes.peers > nodes.unreachable {
            return .ok(.peers, "\(Self.counted(nodes.peers - nodes.unreachable)) of the room \(room) answered")
        }
        guard nodes.unreachable == 0 else { return nil }
        let heard = outward.flatMap(\.families).filter { $0.mdns == .open }
        guard !heard.isEmpty else { return nil }
        let place = (nodes.own > 0 ? "but for this machine, " : "") + "the room \(room) is empty"
        if nodes.others > 0 {
            return .note(
                .emptyRoom, "other rooms are heard, with \(Self.counted(nodes.others)) on other machines; \(place)",
                "wait, or check that the others use this room (--room)")
        }
        return Set(heard.flatMap(\.others)).isEmpty ? nobodyHeard : nobody
    }

    private var nobodyHeard: Finding {
        .note(
            .nobodyHeard,
            "no other machine is heard: none is there, or all are silent in other rooms, or this network keeps its "
                + "guests apart; from here they look the same",
            "run earshot doctor on another machine of this network too; where guests are kept apart, "
                + "only another network helps, and where just multicast is lost, --peer HOST:PORT")
    }

    private var nobody: Finding {
        .note(
            .nobody,
            "no peer in the room \(room) answers, though other machines are heard: the network carries mDNS",
            "wait, or check that the others use this room (--room)")
    }

    private static func counted(_ count: Int) -> String { "\(count) \(count == 1 ? "node" : "nodes")" }
}
