import Chat
import ChatNode
import Commands
import Wire

/// The state of one room in the view.
struct RoomState: Sendable {
    let label: RoomLabel
    var me: PeerName?
    var mention: Mention?
    /// The peers that are here.
    var online = 0
    var ready: NodeEvent?
    var arrivals = ArrivalBlock()
    var joins = JoinFolder()
    /// The time at which a user without peers gets advice; nil for never.
    var lonelyAt: Instant?
    private var hasMet = false
    /// When the first peer came, or the first one after the last had gone; nil while the user is alone.
    private var metAt: Instant?

    /// A user that met peers within this time was alone until then.
    static let reunionTime = Duration.seconds(30)

    init(_ label: RoomLabel) { self.label = label }

    /// The next time that something is due; nil for never.
    var deadline: Instant? { [arrivals.deadline, joins.deadline, lonelyAt].compactMap(\.self).min() }

    mutating func name(_ me: PeerName) { (self.me, mention) = (me, Mention(of: me)) }

    mutating func record(_ state: PresenceState, online: Int, at now: Instant) {
        record(online: state == .left && !hasMet ? 0 : online, at: now)
        self.online = online
    }

    /// Whether the user is or was until now without peers.
    func wasAlone(at now: Instant) -> Bool { metAt.map { now - $0 <= RoomState.reunionTime } ?? true }

    /// Notes how many peers are here; the first ones begin the block of what comes with them.
    mutating func record(online: Int, at now: Instant) {
        self.online = online
        metAt = online > 0 ? metAt ?? now : nil
        guard !hasMet, online > 0 else { return }
        (hasMet, lonelyAt) = (true, nil)
        arrivals.begin(at: now)
    }

    func level(of message: MessageView) -> ConversationList.Level {
        if message.isMention { return .mention }
        return message.conversation == .publicRoom ? .message : .direct
    }
}
