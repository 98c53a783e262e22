/// The kind of a payload (Protocol.md section 6). Other values are counted and dropped.
package enum PayloadType: UInt8, Sendable, CaseIterable {
    case publicMessage = 1
    case presence = 2
    case typing = 3
    case edit = 4
    case delete = 5
    case reaction = 6
    case card = 7
    case dmRequest = 16
    case dmAccept = 17
    case dmDecline = 18
    case dmLeave = 19
    case directMessage = 20
    case delivered = 21
    case read = 22
    case invitation = 23

    /// True if its author sends it again until its target acknowledges it, as far as it has one.
    var isSentAgain: Bool {
        switch self {
        case .dmRequest, .directMessage, .invitation, .edit, .delete, .reaction: true
        case .publicMessage, .presence, .typing, .card, .dmAccept, .dmDecline, .dmLeave, .delivered, .read: false
        }
    }

    /// True if it may come sealed over relays, as far as it is for one peer.
    package var maySeal: Bool {
        switch self {
        case .dmRequest, .dmAccept, .dmLeave, .directMessage, .delivered, .read, .edit, .delete, .reaction, .invitation:
            true
        case .publicMessage, .presence, .typing, .card, .dmDecline: false
        }
    }

    /// True if its signature is checked when it comes over its author's own link too.
    ///
    /// It changes an earlier message, or takes a place that its author has for few: no signature is checked later that can take it back.
    var isCheckedAtOnce: Bool {
        switch self {
        case .edit, .delete, .reaction, .card: true
        case .publicMessage, .presence, .typing, .dmRequest, .dmAccept, .dmDecline, .dmLeave, .directMessage,
            .delivered, .read, .invitation:
            false
        }
    }

    /// True if it belongs to a conversation's messages; to the history of the room if it is not for one peer.
    package var isHistory: Bool {
        switch self {
        case .publicMessage, .edit, .delete, .reaction, .card: true
        case .presence, .typing, .dmRequest, .dmAccept, .dmDecline, .dmLeave, .directMessage, .delivered, .read,
            .invitation:
            false
        }
    }

    /// True if bridges publish it. Typing is not worth it.
    package var isPublished: Bool {
        switch self {
        case .publicMessage, .presence, .edit, .delete, .reaction, .card: true
        case .typing, .dmRequest, .dmAccept, .dmDecline, .dmLeave, .directMessage, .delivered, .read, .invitation: false
        }
    }
}

/// Counts payloads by kind. An array, because every payload is counted.
package struct PayloadTally: Sendable {
    private var counts = [Int](repeating: 0, count: PayloadTally.size)

    private static let size = PayloadType.allCases.reduce(0) { max($0, Int($1.rawValue)) } + 1

    package init() {}

    package subscript(type: PayloadType) -> Int { counts[Int(type.rawValue)] }

    /// The count of all kinds.
    package var total: Int { counts.reduce(0, +) }

    package mutating func add(_ type: PayloadType, _ number: Int = 1) { counts[Int(type.rawValue)] += number }
}
