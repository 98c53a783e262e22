import Chat
import Wire

/// A payload that was admitted, on its way to the router and to the parts that hear of it behind that.
struct AdmittedPayload {
    var payload: VerifiedPayload
    let origin: Origin
    /// The links that it passed before this node, less one.
    let hops: UInt8
    /// The link that it came on; nil if it came over this node's bridge.
    let link: LinkInfo?
    /// Admitted before: its author may not know that it came, and nothing but a receipt follows.
    let isRepeated: Bool
    /// The wall clock when it was asked for; nil if it came unasked.
    var askedAt: Timestamp?
    /// Where the author of a sealed payload can be dialled: 6 or 18 bytes; empty for nowhere.
    var endpoint: [UInt8] = []

    /// It came unasked on a link.
    var isLive: Bool {
        switch origin {
        case .live, .direct: true
        case .history, .roster, .sealed, .broker: false
        }
    }

    /// True for the usual payload of a mesh: only bridges and trees hear of it behind the router.
    var isPlain: Bool { isLive && payload.type != .presence && !payload.isBridged }
}
