import Chat
import Noise
import Wire

/// A frame that climbs trees from parent to parent: a node that gets its own back is its own ancestor (Protocol.md section 13).
package struct LoopCheck: Hashable, Sendable {
    /// Drawn by the node that begins the check, which alone knows that it is its own.
    package var id: UInt64
    package var mask: TreeMask
    /// The links that it may pass yet.
    package var linksLeft: UInt8
}

/// The latest loop check that this node began in each tree, and those of others that it passed on.
struct LoopChecks: Sendable {
    private struct Begun: Sendable {
        let id: UInt64
        let parent: PeerID
    }

    private var begun = [Begun?](repeating: nil, count: Trees.count)
    /// The trees in which checks of others went on: one that goes round in a loop of others does so once.
    private var passed = RecentTable<UInt64, TreeMask>(capacity: Limits.passedLoopChecks)

    /// Begins a check of trees that have a new parent.
    mutating func begin(_ mask: TreeMask, with parent: PeerID, using randomness: inout Randomness) -> LoopCheck {
        let id = UInt64.random(in: 0 ... .max, using: &randomness)
        let linksLeft = UInt8.random(
            in: Limits.loopCheckLinksLeast...Limits.loopCheckLinksMost, using: &randomness)
        set(mask, Begun(id: id, parent: parent))
        return LoopCheck(id: id, mask: mask, linksLeft: linksLeft)
    }

    /// The trees have parents that no check is needed for.
    mutating func forget(_ mask: TreeMask) { set(mask, nil) }

    private mutating func set(_ mask: TreeMask, _ check: Begun?) {
        for tree in begun.indices where mask & Trees.bit(tree) != 0 { begun[tree] = check }
    }

    /// The parent that a check went to which came back, and the trees that it came back along; nil for a check of another node.
    func returned(_ check: LoopCheck) -> (parent: PeerID, mask: TreeMask)? {
        let mask = Trees.mask { begun[$0]?.id == check.id }
        guard mask != 0, let parent = begun[mask.trailingZeroBitCount]?.parent else { return nil }
        return (parent, mask & check.mask)
    }

    /// Takes the trees in which a check of another node goes on for the first time.
    mutating func takeNew(_ check: LoopCheck) -> TreeMask {
        passed.update(check.id, orNew: { 0 }) { mask in
            let new = check.mask & ~mask
            mask |= new
            return new
        }
    }
}

extension Limits {
    /// The least of the links that a loop check may pass, drawn at random so that the nodes on its way do not learn where it began.
    /// With fewer, long loops are not found.
    static let loopCheckLinksLeast: UInt8 = 24
    /// The most. With more, a check that came into a loop of others costs more.
    static let loopCheckLinksMost: UInt8 = 31
    /// Loop checks of others that a node remembers: the latest half of them for sure. More cost memory; with fewer, a check that came
    /// into a loop of others goes round until no links are left to it.
    static let passedLoopChecks = 256
    /// Loop checks that a node passes on for one neighbour, per second in the long run. More let a neighbour cost the parents more;
    /// with fewer, loops below a neighbour with many nodes are not found when links change.
    static let loopChecksPerSecond = 5.0
    /// As many at once, with the same consequences.
    static let loopChecksBurst = 40.0
    /// Loop checks of others that a node sends to one neighbour, per second in the long run: fewer than the neighbour passes on, so that its
    /// own find room, however many neighbours send some. With fewer, loops below a node with many others are not found.
    static let sentLoopChecksPerSecond = 4.0
    /// As many at once, with the same consequences.
    static let sentLoopChecksBurst = 30.0
    /// Parents that a node leaves for another because of loop checks, in each tree, per second in the long run. More let an ancestor that
    /// sends checks back without a loop disturb a tree more, and a tree without a root is broken for longer; with fewer, a node becomes the
    /// root though others would lead out of the loop.
    static let loopsPerSecond = 0.1
    /// As many at once, with the same consequences.
    static let loopsBurst = 6.0
    /// The most that a node waits, at random, beyond `graftPause`, when a loop check showed a loop. With less, nodes that leave one loop
    /// at one moment choose at one moment; with more, the loop delays more payloads.
    static let loopPause = Duration.seconds(0.2)
    /// How long a parent that a loop check showed below this node is not drawn for that tree. With more, it is not drawn though it is below no
    /// more; with less, it is drawn again in the loop.
    static let loopMemory = Duration.seconds(10)
    /// Parents of each tree that a node remembers because a loop check showed them below it; the oldest goes. More cost memory; with
    /// fewer, it draws the same neighbours below it again and again.
    static let leftParents = 16
}
