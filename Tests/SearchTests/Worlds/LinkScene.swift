import Noise
import Wire

@testable import Chat
@testable import ChatNode

/// Two nodes that may dial each other at the same moment, lose a connection without noticing, and dial again (Protocol.md section 3): the
/// real tables of links, which decide which of two connections stays and how the other ends.
///
/// Handshakes are three messages without content. Seconds pass only where nothing is under way.
final class LinkScene: Scene {
    /// A rule that the search does without, so that a breach is to be found.
    enum Mutant: CaseIterable {
        /// Each node takes its own key for the smaller one.
        case ownStays
        /// The worse connection is not given up.
        case noGoodbye
    }

    struct Setting {
        var connections = 3
        var losses = 1
        var mutant: Mutant?
    }

    enum Step: Sendable, CustomStringConvertible {
        case dial(Int)
        case deliver(to: Int, on: Int)
        /// A node loses a connection, and its peer hears nothing of it.
        case lose(Int, Int)
        case notice(Int, Int)
        /// The seconds pass after which something changes.
        case later

        var description: String {
            switch self {
            case .dial(let node): "node \(node) dials"
            case .deliver(let node, let connection): "node \(node) receives on connection \(connection)"
            case .lose(let node, let connection): "node \(node) loses connection \(connection)"
            case .notice(let node, let connection): "node \(node) notices that connection \(connection) is dead"
            case .later: "seconds pass"
            }
        }
    }

    /// A message that is under way on a connection.
    enum Item: UInt8, Sendable {
        case first, second, third, goodbye, ended
    }

    private let setting: Setting
    private let nodes: [LinkNode]
    /// The node that dialled each connection.
    private var initiators: [Int] = []
    private var lost: Set<Int> = []
    private var hasDialled = [false, false]
    private var losses = 0
    private var now = Instant(nanoseconds: 1_000_000_000_000)

    init(_ setting: Setting) {
        self.setting = setting
        nodes = [0, 1].map { LinkNode($0, setting, at: Instant(nanoseconds: 1_000_000_000_000)) }
    }

    private var isStill: Bool { nodes.allSatisfy(\.isStill) }

    var steps: [Step] {
        var steps: [Step] = []
        for node in nodes {
            for connection in initiators.indices {
                if node.awaits(connection) { steps.append(.deliver(to: node.number, on: connection)) }
                if mayLose, node.isSending(connection) { steps.append(.lose(node.number, connection)) }
                if lost.contains(connection), node.hasOpen(connection), !node.awaits(connection) {
                    steps.append(.notice(node.number, connection))
                }
            }
            if mayDial(node) { steps.append(.dial(node.number)) }
        }
        if isStill, nodes.contains(where: { $0.changesLater(now) }) { steps.append(.later) }
        return steps
    }

    /// A connection is lost only while the search has one more.
    private var mayLose: Bool { losses < setting.losses && initiators.count < setting.connections }

    /// A node without a connection dials; again only after a pause, and the last time of the search ten seconds later: so long a peer
    /// keeps a connection that it does not know to be lost.
    private func mayDial(_ node: LinkNode) -> Bool {
        guard initiators.count < setting.connections, !node.hasAny else { return false }
        guard hasDialled[node.number] else { return true }
        return isStill && (initiators.count < setting.connections - 1 || nodes.allSatisfy { !$0.changesLater(now) })
    }

    func take(_ step: Step) throws(Breach) {
        switch step {
        case .dial(let node):
            hasDialled[node] = true
            let connection = initiators.count
            initiators.append(node)
            nodes[node].open(connection, isOurs: true, at: now)
            nodes[1 - node].arrive(.first, on: connection)
        case .deliver(let node, let connection): deliver(to: nodes[node], on: connection)
        case .lose(let node, let connection):
            losses += 1
            lost.insert(connection)
            nodes[node].lose(connection, at: now)
        case .notice(let node, let connection): nodes[node].lose(connection, at: now)
        case .later:
            let isRetiring = nodes.contains(where: \.isRetiring)
            now = now + (isRetiring ? .seconds(2) : .seconds(10))
            if isRetiring { for node in nodes { node.endRetirement(at: now) } }
        }
        for node in nodes {
            for (item, connection) in node.takeSent()
            where !lost.contains(connection) || nodes[1 - node.number].hasOpen(connection) {
                nodes[1 - node.number].arrive(item, on: connection)
            }
            guard node.sendingCount <= 1 else { throw Breach("one", "node \(node.number) sends on two connections") }
        }
    }

    private func deliver(to node: LinkNode, on connection: Int) {
        switch node.take(on: connection) {
        case .first where !node.knows(connection):
            node.open(connection, isOurs: false, at: now)
            node.send(.second, on: connection)
        case .second:
            guard node.isShaking(connection) else { return }
            node.send(.third, on: connection)
            node.establish(connection, at: now)
        case .third: if node.isShaking(connection) { node.establish(connection, at: now) }
        case .goodbye: node.receiveGoodbye(on: connection, at: now)
        case .ended: node.lose(connection, at: now)
        case .first: break
        }
    }

    var isQuiet: Bool {
        guard isStill, !nodes.contains(where: \.isRetiring) else { return false }
        guard !nodes.contains(where: { node in lost.contains { node.hasOpen($0) } }) else { return false }
        return nodes.allSatisfy { !mayDial($0) && !$0.isShakingAny }
            && steps.allSatisfy { step in
                switch step {
                case .lose: true
                case .later: nodes.allSatisfy(\.hasAny)
                case .dial, .deliver, .notice: false
                }
            }
    }

    func judge() throws(Breach) {
        let kept = nodes.map(\.sending)
        guard kept[0].count == 1, kept[0] == kept[1] else {
            throw Breach("agreement", "node 0 has the connections \(kept[0]), and node 1 has \(kept[1])")
        }
    }

    func write(to digest: inout Digest) {
        for initiator in initiators { digest.write(initiator) }
        digest.write(initiators.count)
        digest.write(lost.map(UInt8.init).sorted())
        digest.write(losses)
        for has in hasDialled { digest.write(has) }
        for node in nodes { node.write(to: &digest, initiators.count, at: now) }
    }
}
