/// Payloads counted by kind: an index and an addition for each.
package struct PayloadTally: Sendable {
    private var counts = [Int](repeating: 0, count: PayloadTally.size)

    private static let size = PayloadType.allCases.reduce(0) { max($0, Int($1.rawValue)) } + 1

    package init() {}

    package subscript(type: PayloadType) -> Int { counts[Int(type.rawValue)] }

    /// Those of all kinds.
    package var total: Int { counts.reduce(0, +) }

    package mutating func add(_ type: PayloadType, _ number: Int = 1) { counts[Int(type.rawValue)] += number }
}
