import Wire

/// The trees of a room as a set of eight bits: tree `n` is bit `n` (Protocol.md section 13).
package typealias TreeMask = UInt8

/// The state of a side, sent when a link opens and when its mode or its choice changes (Protocol.md section 13).
package struct Hello: Hashable, Sendable {
    /// The only version of the overlay; a hello of another one is ignored.
    static let version: UInt8 = 1

    /// The sender is in overlay mode.
    package var isOverlay: Bool
    /// The sender's samplers have chosen the receiver.
    package var isChosen = false
    /// The sender got `busy` several times: the receiver accepts it up to the hard bound.
    package var isInsisting = false
    /// The link is for direct messages only and carries no tree.
    package var isGuest = false
    /// The sender knows of peers in a small room that it has no link with.
    package var isLacking = false
    /// The trees that the sender grafts on this link at once.
    package var mask: TreeMask = 0
    /// The nodes that the sender knows of, without itself.
    package var known: UInt16 = 0

    package init(isOverlay: Bool) {
        self.isOverlay = isOverlay
    }

    fileprivate var flags: UInt8 {
        (isOverlay ? 1 : 0) | (isChosen ? 2 : 0) | (isInsisting ? 4 : 0) | (isGuest ? 8 : 0)
            | (isLacking ? 16 : 0)
    }

    /// Bits above the five that are defined are ignored.
    fileprivate init(flags: UInt8, mask: TreeMask, known: UInt16) {
        isOverlay = flags & 1 != 0
        isChosen = flags & 2 != 0
        isInsisting = flags & 4 != 0
        isGuest = flags & 8 != 0
        isLacking = flags & 16 != 0
        self.mask = mask
        self.known = known
    }
}

/// The body of a frame 10: how two neighbours arrange trees and their link (Protocol.md section 13).
package enum TreeFrame: Hashable, Sendable {
    /// Why a side takes no further link; other values are read as `.full`.
    package enum BusyReason: UInt8, Sendable {
        /// The soft bound of the links that others open is reached.
        case full = 0
    }

    case hello(Hello)
    /// Push these trees to me from now on, and send me these payloads now: the first 8 bytes of their ids.
    case graft(TreeMask, ids: [UInt64])
    /// Do not push these trees to me.
    case prune(TreeMask)
    /// The payload with this id, which follows, goes over all links and makes its tree and these anew.
    case wide(UInt64, TreeMask)
    case busy(BusyReason)
    /// These payloads that you grafted do not come: the first 8 bytes of their ids.
    case lacking([UInt64])
    /// Pass this on to your parents of these trees.
    case loopCheck(LoopCheck)
    /// How many links the sender is from the root of each tree: a receiver without a parent chooses by it.
    case distances(TreeDistances)

    private enum Operation: UInt8 {
        case hello = 0
        case graft = 1
        case prune = 2
        case wide = 3
        case busy = 4
        case lacking = 5
        case loopCheck = 6
        case distances = 7
    }

    /// Nil for an unknown operation or version, and for a body with a byte too many or too few.
    package init?(_ body: Span<UInt8>) {
        var reader = ByteReader(body)
        guard let first = try? reader.readUInt8(), let operation = Operation(rawValue: first),
            let frame = try? TreeFrame(operation, &reader), reader.remaining == 0
        else { return nil }
        self = frame
    }

    private init?(_ operation: Operation, _ reader: inout ByteReader) throws(TruncatedInput) {
        switch operation {
        case .hello:
            let version = try reader.readUInt8()
            let (flags, mask) = (try reader.readUInt8(), try reader.readUInt8())
            let known = try reader.readUInt16()
            guard version == Hello.version else { return nil }
            self = .hello(Hello(flags: flags, mask: mask, known: known))
        case .graft:
            let mask = try reader.readUInt8()
            guard let ids = try ShortIDList.read(&reader, limit: Limits.graftedPayloads) else { return nil }
            self = .graft(mask, ids: ids)
        case .prune: self = .prune(try reader.readUInt8())
        case .wide: self = .wide(try reader.readUInt64(), try reader.readUInt8())
        case .busy: self = .busy(BusyReason(rawValue: try reader.readUInt8()) ?? .full)
        case .lacking:
            guard let ids = try ShortIDList.read(&reader, limit: Limits.graftedPayloads) else { return nil }
            self = .lacking(ids)
        case .loopCheck:
            let (mask, linksLeft) = (try reader.readUInt8(), try reader.readUInt8())
            self = .loopCheck(LoopCheck(id: try reader.readUInt64(), mask: mask, linksLeft: linksLeft))
        case .distances:
            var distances = TreeDistances.unknown
            for tree in distances.indices { distances[tree] = try reader.readUInt8() }
            self = .distances(distances)
        }
    }

    /// The whole frame, its type byte first.
    package var bytes: [UInt8] {
        var writer = ByteWriter(capacity: 8)
        writer.write(FrameType.tree.rawValue)
        switch self {
        case .hello(let hello):
            writer.write([Operation.hello.rawValue, Hello.version, hello.flags, hello.mask])
            writer.write(hello.known)
        case .graft(let mask, let ids):
            writer.write([Operation.graft.rawValue, mask])
            ShortIDList.write(ids, limit: Limits.graftedPayloads, to: &writer)
        case .prune(let mask): writer.write([Operation.prune.rawValue, mask])
        case .wide(let id, let mask):
            writer.write(Operation.wide.rawValue)
            writer.write(id)
            writer.write(mask)
        case .busy(let reason): writer.write([Operation.busy.rawValue, reason.rawValue])
        case .lacking(let ids):
            writer.write(Operation.lacking.rawValue)
            ShortIDList.write(ids, limit: Limits.graftedPayloads, to: &writer)
        case .loopCheck(let check):
            writer.write([Operation.loopCheck.rawValue, check.mask, check.linksLeft])
            writer.write(check.id)
        case .distances(let distances):
            writer.write([Operation.distances.rawValue] + distances.indices.map { distances[$0] })
        }
        return writer.bytes
    }
}

extension Limits {
    /// Ids in a `graft`. More let one frame draw more payloads, and take a larger record; with fewer, recovery takes
    /// several frames.
    static let graftedPayloads = 32
}
