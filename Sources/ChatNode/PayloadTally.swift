import Chat

/// Payloads counted by kind: an index and an addition for each.
struct PayloadTally {
    private var counts = [Int](repeating: 0, count: PayloadTally.size)

    private static let size = PayloadType.allCases.reduce(0) { max($0, Int($1.rawValue)) } + 1

    subscript(type: PayloadType) -> Int { counts[Int(type.rawValue)] }

    mutating func add(_ type: PayloadType, _ number: Int = 1) { counts[Int(type.rawValue)] += number }

    /// One for each kind, those that are zero too.
    func counters(prefix: String) -> [Counter] {
        PayloadType.allCases.map { Counter(name: prefix + $0.counterName, value: self[$0]) }
    }
}

extension PayloadType {
    /// How `/stats` calls it.
    package var counterName: String {
        switch self {
        case .publicMessage: "public_message"
        case .presence: "presence"
        case .typing: "typing"
        case .edit: "edit"
        case .delete: "delete"
        case .dmRequest: "dm_request"
        case .dmAccept: "dm_accept"
        case .dmDecline: "dm_decline"
        case .dmLeave: "dm_leave"
        case .directMessage: "direct_message"
        case .delivered: "delivered"
        case .read: "read"
        }
    }
}
