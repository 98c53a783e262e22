import Chat
import ChatNode
package import Commands
import LineEditor
import Model
import Phrases
import Rendering
package import Wire

/// The chat as a user sees it: one conversation at a time, a line for what needs attention elsewhere, and the prompt.
///
/// A value: takes reports and the time, gives lines and its next deadline.
package struct ChatView: Sendable {
    /// How long a user is alone before the view says so.
    static let lonelyTime = Duration.seconds(2)
    /// The messages shown when a conversation is opened.
    static let shownOnOpening = 20
    /// The messages of the open conversation that can be read back.
    static let logCapacity = 400
    /// A request is repeated at the first key after this time.
    static let requestRest = Duration.seconds(1)

    var rendering: ChatRendering
    var prompt: Prompt
    /// All conversations in one stream, instead of the open one alone.
    var showsAll: Bool
    var showsJoins = true
    /// The messages of the open conversation, the oldest first.
    var log: [MessageView] = []
    var requests: [OpenRequest] = []
    /// By numbers.
    var rooms: [Int: RoomState] = [:]
    /// The day of the latest line.
    var shownDay: String?
    private(set) var model = ChatModel()
    /// Those of the report that is shown.
    private var changes: [ModelChange] = []
    private var lines: [ChatLine] = []

    struct OpenRequest: Sendable {
        let room: RoomLabel
        var who: PeerName
        let since: Instant
        var isRepeated = false
    }

    package init(_ rendering: ChatRendering, showsAll: Bool = false) {
        self.rendering = rendering
        self.showsAll = showsAll
        prompt = Prompt(language: rendering.language, theme: rendering.theme)
    }

    var language: Language { rendering.language }

    /// The peers that are typing in the open conversation; nil for none.
    var typing: String? {
        guard let open = prompt.open else { return nil }
        let typists = model.conversation(ConversationID(open.room, open.conversation))?.typists ?? []
        return switch typists.count {
        case 0: nil
        case 1: language(.typingOne, typists[0].who.displayName)
        case 2: language(.typingTwo, typists[0].who.displayName, typists[1].who.displayName)
        default: language(.typingMany, "\(typists.count)")
        }
    }

    /// The next time that `wake` has something to show; nil for never.
    var deadline: Instant? { rooms.values.compactMap(\.deadline).min() }

    /// The lines since the last call.
    mutating func takeLines() -> [ChatLine] { exchange(&lines, with: []) }

    /// Shows what is due.
    mutating func wake(at now: Instant, wallClock: Timestamp) {
        for room in rooms.values.map(\.label).sorted(by: { $0.number < $1.number }) {
            if let deadline = rooms[room.number]?.arrivals.deadline, deadline <= now {
                endArrivals(in: room, at: now, wallClock: wallClock)
            }
            if let folded = rooms[room.number]?.joins.take(at: now) {
                if folded.came + folded.left > 0 {
                    tellJoins(in: room, came: folded.came, left: folded.left, at: wallClock)
                }
                tell(folded.renames, in: room, at: wallClock)
            }
            if let deadline = rooms[room.number]?.lonelyAt, deadline <= now {
                rooms[room.number]?.lonelyAt = nil
                if isOpen(room) { add(rendering.notice(language(.lonely), at: wallClock), of: wallClock) }
            }
        }
    }

    /// Shows a report.
    package mutating func show(_ report: RoomReport, at now: Instant, wallClock: Timestamp) {
        changes = model.reduce(report, at: Moment(instant: now, wallClock: wallClock))
        if prompt.open == nil { look(at: RoomConversation(report.room, .publicRoom)) }
        switch report.report {
        case .event(let event): show(event, report, at: now, wallClock: wallClock)
        case .error(let error): add(rendering.error(DisplayGuard.safe(error.sentence.text(in: language))))
        case .entered(let line):
            if CommandEntry.typed(in: line)?.replacesView != true { add(rendering.echo(of: line)) }
        case .answer(let answer): show(answer, report, at: now, wallClock: wallClock)
        case .opened(let conversation, let recent):
            show(.active(command: "open", conversation, recent: recent), report, at: now, wallClock: wallClock)
        case .viewed, .leaving, .snapshot: break
        case .listening:
            for text in notices(of: report, at: wallClock) { add(rendering.notice(text, at: wallClock), of: wallClock) }
        }
    }

    /// Whether a conversation of a room is the open one.
    func isOpen(_ room: RoomLabel) -> Bool { prompt.open?.room == room }

    /// The texts of a report's notices.
    func notices(of report: RoomReport, at time: Timestamp) -> [String] {
        let plain = PlainOutput(
            clock: rendering.clock, day: rendering.day, language: language, room: report.room.name)
        return plain.notices(of: report.report, changes, at: time)
    }

    /// Changes the state of a room, which begins with its first report.
    mutating func change<Result>(_ room: RoomLabel, _ body: (inout RoomState) -> Result) -> Result {
        var state = rooms[room.number] ?? RoomState(room)
        defer { rooms[room.number] = state }
        return body(&state)
    }

    /// Opens a conversation: the prompt is that of its room from now on.
    mutating func look(at target: RoomConversation) {
        prompt.open = target
        prompt.conversations.record(target, unread: 0)
        change(target.room) { _ in }
        showNames(of: target.room)
    }

    /// Shows the user's name and the number of peers in the prompt, if the room is open.
    mutating func showNames(of room: RoomLabel) {
        guard isOpen(room) else { return }
        (prompt.me, prompt.online) = (rooms[room.number]?.me, rooms[room.number]?.online ?? 0)
    }

    /// A line of the program's own diagnostics.
    mutating func tell(_ line: String) {
        add(ChatLine(text: StyledText(line, rendering.theme.notice), indent: 2))
    }

    mutating func add(_ line: ChatLine) { lines.append(line) }

    /// Adds a line with a time, behind a rule where a new day begins.
    mutating func add(_ line: ChatLine, of time: Timestamp) {
        let day = rendering.day(time)
        if let shownDay, shownDay != day { lines.append(rendering.rule(day)) }
        shownDay = day
        lines.append(line)
    }
}

/// Events.
extension ChatView {
    private mutating func show(_ event: NodeEvent, _ report: RoomReport, at now: Instant, wallClock: Timestamp) {
        let room = report.room
        switch event {
        case .ready(let me, port: _, room: _, discovery: _):
            begin(as: me, in: room, event, at: now, wallClock: wallClock)
        case .peer(let state, let who, reason: _, let was, let online):
            record(state, who, was: was, online: online, report, at: now, wallClock: wallClock)
        case .renamed(let me, was: _): name(me, in: room)
        case .blocked(let who, let isOn): if isOn { forget(who, in: room) }
        case .crowd(came: _, left: _, let online): record(online: online, report, at: now, wallClock: wallClock)
        case .message(let message): show(message, in: room, at: now, wallClock: wallClock)
        case .request(let who, let text):
            prompt.conversations.record(requestBy: who, in: room, isOpen: true)
            requests.append(OpenRequest(room: room, who: who, since: now))
            if !change(room, { $0.arrivals.hold(.request(who, text)) }) { showRequest(report, at: wallClock) }
        case .direct(let change, let who): record(change, who, report, at: wallClock)
        case .invitation:
            for text in notices(of: report, at: wallClock) {
                add(rendering.notice(text, at: wallClock, rendering.theme.direct), of: wallClock)
            }
        case .edited(let message), .deleted(let message): showChange(of: message, report, at: wallClock)
        case .notice(let code, _) where code.isRoomBridged != nil: showBridged(code, report, at: wallClock)
        case .notice(let code, let sentence) where code.isWarning:
            add(rendering.error(DisplayGuard.safe(sentence.text(in: language))))
        case .elsewhere: tell(report, of: RoomConversation(room, .publicRoom), at: wallClock)
        case .failed, .notice: tell(report, of: nil, at: wallClock)
        // The session shows these in the line of the message, and under it.
        case .delivered, .read, .typing: break
        case .stopped: forget(room)
        }
    }

    private mutating func begin(
        as me: PeerName, in room: RoomLabel, _ event: NodeEvent, at now: Instant, wallClock: Timestamp
    ) {
        change(room) { state in
            state.ready = event
            state.name(me)
            state.lonelyAt = now + ChatView.lonelyTime
        }
        prompt.conversations.record(RoomConversation(room, .publicRoom), unread: 0)
        showNames(of: room)
        let text = language(.welcome, me.displayName, DisplayGuard.safe(room.name))
        add(rendering.notice(text, at: wallClock), of: wallClock)
    }

    /// Tells whether a room is carried to other networks; the prompt shows it from now on.
    private mutating func showBridged(_ code: NoticeCode, _ report: RoomReport, at wallClock: Timestamp) {
        if code.isRoomBridged == true { prompt.bridged.insert(report.room) } else { prompt.bridged.remove(report.room) }
        tell(report, of: nil, at: wallClock)
    }

    /// The room was left, or its node has ended.
    private mutating func forget(_ room: RoomLabel) {
        rooms[room.number] = nil
        prompt.bridged.remove(room)
        prompt.conversations.remove(room)
        requests.removeAll { $0.room == room }
    }

    private mutating func record(
        _ state: PresenceState, _ who: PeerName, was: PeerSighting?, online: Int, _ report: RoomReport,
        at now: Instant, wallClock: Timestamp
    ) {
        let room = report.room
        prompt.conversations.rename(who, in: room)
        for index in requests.indices where requests[index].room == room && requests[index].who.key == who.key {
            requests[index].who = who
        }
        change(room) { $0.record(state, online: online, at: now) }
        showNames(of: room)
        rendering.colors.record(who.key, isPresent: state != .left)
        if isOpen(room), case .direct(let open) = prompt.open?.conversation, open.key == who.key {
            (prompt.open, prompt.correspondent) = (RoomConversation(room, .direct(with: who)), state)
        }
        let texts = notices(of: report, at: wallClock)
        guard !texts.isEmpty else { return }
        if let was { return tell(texts, of: who, was: was, in: room, at: now, wallClock: wallClock) }
        if who.contact != nil { return tell(texts, of: who, in: room, at: wallClock) }
        guard showsJoins, isOpen(room) || showsAll else { return }
        guard change(room, { $0.joins.record(isArrival: state != .left, at: now) }) else { return }
        for text in texts { add(rendering.notice(text, at: wallClock), of: wallClock) }
    }

    /// A peer that is here has another name, or is away or back: it neither came nor left. A rename has a line where
    /// arrivals have none, because lines of two names are of one peer.
    private mutating func tell(
        _ texts: [String], of who: PeerName, was: PeerSighting, in room: RoomLabel, at now: Instant,
        wallClock: Timestamp
    ) {
        let isRename = was.who.displayName != who.displayName
        if !isRename, who.contact != nil { return tell(texts, of: who, in: room, at: wallClock) }
        guard isOpen(room) || showsAll, isRename || showsJoins else { return }
        guard !isRename || change(room, { $0.joins.recordRename(of: who, from: was.who, at: now) }) else { return }
        for text in texts { add(rendering.notice(text, at: wallClock), of: wallClock) }
    }

    /// The user has another name in a room, whichever face asked for it.
    mutating func name(_ me: PeerName, in room: RoomLabel) {
        change(room) { $0.name(me) }
        showNames(of: room)
        if isOpen(room) { rendering.mention = rooms[room.number]?.mention }
    }

    /// The user blocked a peer: none of its messages can be read back.
    private mutating func forget(_ who: PeerName, in room: RoomLabel) {
        change(room) { $0.arrivals.forget(who.key) }
        if isOpen(room) { log.removeAll { $0.from.key == who.key } }
        requests.removeAll { $0.room == room && $0.who.key == who.key }
        prompt.conversations.forget(who, in: room)
    }

    private mutating func record(online: Int, _ report: RoomReport, at now: Instant, wallClock: Timestamp) {
        change(report.room) { $0.record(online: online, at: now) }
        showNames(of: report.room)
        guard showsJoins, isOpen(report.room) || showsAll else { return }
        for text in notices(of: report, at: wallClock) { add(rendering.notice(text, at: wallClock), of: wallClock) }
    }

    /// Contacts come and go with a line of their own, whichever room is open.
    private mutating func tell(_ texts: [String], of who: PeerName, in room: RoomLabel, at time: Timestamp) {
        for text in texts {
            let line = isOpen(room) ? text : language(.inRoom, text, DisplayGuard.safe(room.name))
            add(rendering.notice(line, at: time), of: time)
        }
    }

    /// Shows that a message was edited or deleted.
    private mutating func showChange(of message: MessageView, _ report: RoomReport, at time: Timestamp) {
        let (id, target) = (message.id, RoomConversation(report.room, message.conversation))
        prompt.conversations.record(target, unread: message.unread)
        let isHeld: Bool
        if case .event(.deleted) = report.report {
            log.removeAll { $0.id == id }
            isHeld = change(report.room) { $0.arrivals.delete(id) }
        } else {
            if let index = log.lastIndex(where: { $0.id == id }) { log[index].text = message.text }
            isHeld = change(report.room) { $0.arrivals.edit(id, to: message.text) }
        }
        if !isHeld { tell(report, of: target, at: time) }
    }

    private mutating func record(_ change: DirectChange, _ who: PeerName, _ report: RoomReport, at time: Timestamp) {
        prompt.conversations.record(requestBy: who, in: report.room, isOpen: false)
        requests.removeAll { $0.who.key == who.key && $0.room == report.room }
        if change == .left { prompt.conversations.remove(RoomConversation(report.room, .direct(with: who))) }
        for text in notices(of: report, at: time) {
            add(rendering.notice(text, at: time, rendering.theme.direct), of: time)
        }
    }

    /// Tells an event of a conversation, or of none, if that is shown.
    private mutating func tell(_ report: RoomReport, of target: RoomConversation?, at time: Timestamp) {
        let texts = notices(of: report, at: time)
        guard target.map(isShown) ?? true else { return }
        for text in texts { add(rendering.notice(text, at: time), of: time) }
    }

    private mutating func tellJoins(in room: RoomLabel, came: Int, left: Int, at time: Timestamp) {
        let text = language.movements(came: came, left: left)
        if showsJoins, isOpen(room) || showsAll { add(rendering.notice(text, at: time), of: time) }
    }

    /// The names that changed again in the time of the folder, each once; many of them as a number.
    private mutating func tell(_ renames: [JoinFolder.Rename], in room: RoomLabel, at time: Timestamp) {
        guard isOpen(room) || showsAll, !renames.isEmpty else { return }
        let lines =
            renames.count > JoinFolder.single
            ? [language(.manyRenamed, "\(renames.count)")]
            : renames.map { language(.peerRenamed, $0.from.displayName, $0.to.displayName) }
        for line in lines { add(rendering.notice(line, at: time), of: time) }
    }
}
