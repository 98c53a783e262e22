/// How many links the roots of the eight trees are away, by the copies of the wide payloads that made the trees and by what neighbours told
/// since: 255 for unknown.
package typealias TreeDistances = SIMD8<UInt8>

extension TreeDistances {
    package static let unknown = TreeDistances(repeating: .max)

    /// Sets the distance in each tree of a mask.
    mutating func set(_ mask: TreeMask, to distance: UInt8) {
        for tree in indices where mask & Trees.bit(tree) != 0 { self[tree] = distance }
    }
}
