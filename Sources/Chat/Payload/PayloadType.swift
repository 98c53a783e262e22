/// What kind of thing a payload says (Protocol.md section 6). Other values are counted and dropped.
package enum PayloadType: UInt8, Sendable, CaseIterable {
    case publicMessage = 1
    case presence = 2
    case typing = 3
    case edit = 4
    case delete = 5
    case dmRequest = 16
    case dmAccept = 17
    case dmDecline = 18
    case dmLeave = 19
    case directMessage = 20
    case delivered = 21
    case read = 22

    /// Kinds 16 to 22: only on their author's link to their target (Protocol.md section 8).
    package var isDirect: Bool { rawValue >= PayloadType.dmRequest.rawValue }

    /// Whether its author sends it again until its target acknowledges it. Edits and deletions of public messages, which
    /// nobody acknowledges, look the same.
    var isSentAgain: Bool { self == .dmRequest || self == .directMessage || changesMessage }

    /// Whether it may come sealed over relays: what is said in a direct conversation, and what changes that.
    package var maySeal: Bool {
        switch self {
        case .dmRequest, .dmAccept, .dmLeave, .directMessage, .delivered, .read, .edit, .delete: true
        case .publicMessage, .presence, .typing, .dmDecline: false
        }
    }

    /// Whether it changes a message that was said before.
    var changesMessage: Bool { self == .edit || self == .delete }

    /// Whether newcomers are told of it later: only what became part of the public conversation.
    var isHistory: Bool { self == .publicMessage || changesMessage }
}

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
