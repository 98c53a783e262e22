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

/// The loop checks that this node began and that have not come back.
struct LoopChecks: Sendable {
    private struct Check: Sendable {
        let id: UInt64
        let parent: PeerID
        let mask: TreeMask
    }

    /// The oldest first.
    private var begun: [Check] = []

    /// Begins a check of trees that have a new parent.
    mutating func begin(_ mask: TreeMask, with parent: PeerID, using randomness: inout Randomness) -> LoopCheck {
        let id = UInt64.random(in: 0 ... .max, using: &randomness)
        let linksLeft = UInt8.random(
            in: Limits.loopCheckLinksLeast...Limits.loopCheckLinksMost, using: &randomness)
        if begun.count == Limits.loopChecks { begun.removeFirst() }
        begun.append(Check(id: id, parent: parent, mask: mask))
        return LoopCheck(id: id, mask: mask, linksLeft: linksLeft)
    }

    /// Takes trees that a check came back along.
    ///
    /// - Returns: the parent that it went to, and which of the trees it went along; nil for a check of another node.
    mutating func takeReturned(_ check: LoopCheck) -> (parent: PeerID, mask: TreeMask)? {
        guard let index = begun.firstIndex(where: { $0.id == check.id }) else { return nil }
        let found = begun[index]
        begun[index] = Check(id: found.id, parent: found.parent, mask: found.mask & ~check.mask)
        return (found.parent, found.mask & check.mask)
    }
}

extension Limits {
    /// Loop checks that a node remembers. More cost memory; with fewer, a loop that takes long to pass is not found.
    static let loopChecks = 32
    /// The least of the links that a loop check may pass, drawn at random so that the nodes on its way do not learn where it began.
    /// With fewer, long loops are not found.
    static let loopCheckLinksLeast: UInt8 = 24
    /// The most. With more, a check that came into a loop of others costs more.
    static let loopCheckLinksMost: UInt8 = 31
    /// Loop checks that a node passes on for one neighbour, per second in the long run. More let a neighbour cost the parents more;
    /// with fewer, loops below a neighbour with many nodes are not found when links change.
    static let loopChecksPerSecond = 5.0
    /// As many at once, with the same consequences.
    static let loopChecksBurst = 40.0
    /// Parents that a node leaves because of loop checks, in each tree, per second in the long run. More let an ancestor that sends
    /// checks back without a loop disturb a tree more; with fewer, a loop among many loops stays for longer.
    static let loopsPerSecond = 0.1
    /// As many at once, with the same consequences.
    static let loopsBurst = 8.0
}
