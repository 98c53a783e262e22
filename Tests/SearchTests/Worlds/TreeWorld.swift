import Noise
import Wire

@testable import Chat
@testable import ChatNode

/// Three nodes of a large room with a link between each two, of which one is lost and may come back, while authors speak (Protocol.md
/// section 13): the real value that spreads payloads along trees, with its timers and its randomness.
///
/// Links, rates of the link and rosters are not there: a payload is known by its id, each frame is read by the real decoder.
struct TreeWorld: World {
    /// A rule of the program that the search does without, so that a breach is to be found.
    enum Mutant: CaseIterable {
        /// A node does not hear that a link of it has ended.
        case lossUnheard
        /// No graft comes through, but those in which a payload is asked for.
        case graftsLost
        /// Time passes, and no timer fires.
        case noTimers
    }

    struct Setting {
        /// The author of each message that is said in the search.
        var authors = [0]
        var losses = 1
        /// Lost links that come back.
        var returns = 0
        /// The times that a timer fires before all that is under way has come.
        var hurries = 0
        var mutant: Mutant?
    }

    enum Step: Sendable, CustomStringConvertible {
        case say(Int)
        case deliver(from: Int, to: Int)
        case lose(Int, Int)
        case bringBack(Int, Int)
        /// The next timer fires.
        case later

        var description: String {
            switch self {
            case .say(let author): "\(TreeWorld.names[author]) speaks"
            case .deliver(let one, let other): "\(TreeWorld.names[other]) receives from \(TreeWorld.names[one])"
            case .lose(let one, let other): "the link of \(TreeWorld.names[one]) and \(TreeWorld.names[other]) ends"
            case .bringBack(let one, let other):
                "\(TreeWorld.names[one]) and \(TreeWorld.names[other]) have a link again"
            case .later: "a timer fires"
            }
        }
    }

    private static let names = ["A", "B", "C"]
    private static let cast = TreeCast(count: 3, messages: 16)

    private let setting: Setting
    private var nodes: [TreeNode]
    /// The frames and payloads that are under way, by the sender and the receiver.
    private var wires = [[TreeItem]](repeating: [], count: 9)
    private var isLinked = [Bool](repeating: false, count: 9)
    private var now = Instant(nanoseconds: 0)
    private var saidBy = [0, 0, 0]
    private var said = 0
    private var losses = 0
    private var returns = 0
    private var hurries = 0

    init(_ setting: Setting) {
        self.setting = setting
        nodes = TreeWorld.cast.ids.indices.map { TreeNode($0, TreeWorld.cast) }
        for index in nodes.indices { nodes[index].begin(now: now) }
        for (one, other) in [(0, 1), (0, 2), (1, 2)] { open(one, other) }
        while let (one, other) = underWay.first { _ = deliver(from: one, to: other) }
    }

    private var underWay: [(Int, Int)] {
        (0..<9).filter { !wires[$0].isEmpty }.map { ($0 / 3, $0 % 3) }
    }

    private mutating func open(_ one: Int, _ other: Int) {
        (isLinked[one * 3 + other], isLinked[other * 3 + one]) = (true, true)
        send(nodes[one].open(other, isOutgoing: true, TreeWorld.cast, now: now), from: one)
        send(nodes[other].open(one, isOutgoing: false, TreeWorld.cast, now: now), from: other)
    }

    private mutating func close(_ one: Int, _ other: Int) {
        (isLinked[one * 3 + other], isLinked[other * 3 + one]) = (false, false)
        (wires[one * 3 + other], wires[other * 3 + one]) = ([], [])
        nodes[one].close(other, TreeWorld.cast, now: now)
        if setting.mutant != .lossUnheard { nodes[other].close(one, TreeWorld.cast, now: now) }
    }

    private mutating func send(_ orders: [TreeNode.Order], from sender: Int) {
        for order in orders {
            guard isLinked[sender * 3 + order.receiver] else { continue }
            if setting.mutant == .graftsLost, order.item.isGraftOfTrees { continue }
            wires[sender * 3 + order.receiver].append(order.item)
        }
    }
}

extension TreeWorld {
    var steps: [Step] {
        var steps = underWay.map { Step.deliver(from: $0, to: $1) }
        if said < setting.authors.count { steps.append(.say(setting.authors[said])) }
        for (one, other) in [(0, 1), (0, 2), (1, 2)] {
            if isLinked[one * 3 + other] {
                if losses < setting.losses { steps.append(.lose(one, other)) }
            } else if returns < setting.returns {
                steps.append(.bringBack(one, other))
            }
        }
        if hurries < setting.hurries, nextDeadline != nil { steps.append(.later) }
        return steps
    }

    private var nextDeadline: Instant? {
        nodes.reduce(nil) { Instant.earlier($0, $1.trees.nextDeadline) }.map { max($0, now) }
    }

    mutating func take(_ step: Step) throws(Breach) {
        switch step {
        case .say(let author):
            said += 1
            say(author)
        case .deliver(let one, let other): try deliver(from: one, to: other).orThrow()
        case .lose(let one, let other):
            losses += 1
            close(one, other)
        case .bringBack(let one, let other):
            returns += 1
            open(one, other)
        case .later:
            hurries += 1
            if let deadline = nextDeadline { try pass(to: deadline).orThrow() }
        }
    }

    private mutating func say(_ author: Int) {
        send(nodes[author].say(saidBy[author], TreeWorld.cast, now: now), from: author)
        saidBy[author] += 1
    }

    /// - Returns: the breach that it shows.
    private mutating func deliver(from sender: Int, to receiver: Int) -> Breach? {
        let item = wires[sender * 3 + receiver].removeFirst()
        let orders = nodes[receiver].receive(item, from: sender, TreeWorld.cast, now: now)
        send(orders, from: receiver)
        return nodes[receiver].breach
    }

    /// Time passes, and the timers of that instant fire.
    private mutating func pass(to instant: Instant) -> Breach? {
        now = instant
        guard setting.mutant != .noTimers else { return nil }
        for index in nodes.indices where nodes[index].trees.nextDeadline.map({ $0 <= instant }) ?? false {
            send(nodes[index].tick(TreeWorld.cast, now: instant), from: index)
            if let breach = nodes[index].breach { return breach }
        }
        return nil
    }

    var isQuiet: Bool { underWay.isEmpty }

    func write(to digest: inout Digest) {
        digest.write(UInt64(bitPattern: now.nanoseconds))
        for count in [said, losses, returns, hurries] { digest.write(count) }
        for isLinked in isLinked { digest.write(isLinked) }
        for wire in wires {
            digest.write(wire.count)
            for item in wire { item.write(to: &digest) }
        }
        for node in nodes { node.write(to: &digest) }
    }
}

/// The future of each quiet state, in which time passes and authors speak, and no more.
extension TreeWorld {
    /// The messages of an author after which its tree is whole.
    private static let patience = 4

    func judge() throws(Breach) {
        var later = self
        for index in nodes.indices { later.nodes[index].isDigested = false }
        try later.settle(for: .seconds(3)).orThrow()
        for author in nodes.indices { try later.judge(author) }
    }

    /// The messages of an author reach all nodes that a way of links leads to, and soon along the tree alone.
    private mutating func judge(_ author: Int) throws(Breach) {
        for attempt in 1...TreeWorld.patience {
            let number = saidBy[author]
            say(author)
            try deliverAll().orThrow()
            let isThere = reached(from: author).allSatisfy { nodes[$0].hasHeard(number, of: author, TreeWorld.cast) }
            try settle(for: .seconds(3)).orThrow()
            guard reached(from: author).allSatisfy({ nodes[$0].hasHeard(number, of: author, TreeWorld.cast) }) else {
                throw Breach("complete", "a message of \(TreeWorld.names[author]) does not reach all in 3 s")
            }
            if isThere { return }
            guard attempt < TreeWorld.patience else { break }
        }
        throw Breach("whole", "the tree of \(TreeWorld.names[author]) stays broken")
    }

    private func reached(from start: Int) -> Set<Int> {
        var reached: Set = [start]
        for _ in nodes {
            for one in reached { for other in nodes.indices where isLinked[one * 3 + other] { reached.insert(other) } }
        }
        return reached
    }

    private mutating func deliverAll() -> Breach? {
        while let (one, other) = underWay.first {
            if let breach = deliver(from: one, to: other) { return breach }
        }
        return nil
    }

    private mutating func settle(for time: Duration) -> Breach? {
        let end = now + time
        while true {
            if let breach = deliverAll() { return breach }
            guard let deadline = nextDeadline, deadline <= end else { break }
            // A timer that does not move would hold the time.
            let before = nextDeadline
            if let breach = pass(to: deadline) { return breach }
            guard underWay.isEmpty, nextDeadline == before else { continue }
            break
        }
        now = end
        return nil
    }
}

extension Breach? {
    fileprivate func orThrow() throws(Breach) { if let self { throw self } }
}
