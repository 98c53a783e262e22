/// How far a direct message of ours is known to have come. It never goes back.
package enum Delivery: UInt8, Sendable, Comparable, CaseIterable {
    case sent
    case delivered
    case read

    package static func < (left: Delivery, right: Delivery) -> Bool { left.rawValue < right.rawValue }
}
