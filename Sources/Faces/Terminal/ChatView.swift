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
    /// A request is repeated at the first key after this time.
    static let requestRest = Duration.seconds(1)

    var rendering: ChatRendering
    /// All conversations in one stream, instead of the open one alone.
    var showsAll: Bool
    var showsJoins = true
    /// The open requests, to be repeated.
    var requests: [OpenRequest] = []
    /// The rooms that peers announced when the user asked last.
    var announced: [String] = []
    /// By the numbers of the rooms.
    private(set) var timings: [Int: RoomTiming] = [:]
    /// The day of the latest line.
    var shownDay: String?
    private(set) var model = ChatModel()
    /// The open conversation; nil before the first room begins.
    private(set) var open: ConversationID?
    /// Those of the report that is shown.
    private(set) var changes: [ModelChange] = []
    /// The messages that were deleted last, the newest last: an answer to one says so.
    private var deleted: [MessageID] = []
    private var lines: [ChatLine] = []

    struct OpenRequest: Sendable {
        let conversation: ConversationID
        let since: Instant
        var isRepeated = false
    }

    package init(_ rendering: ChatRendering, showsAll: Bool = false) {
        self.rendering = rendering
        self.showsAll = showsAll
    }

    var language: Language { rendering.language }

    var prompt: Prompt { Prompt(language: language, theme: rendering.theme, model: model, open: open) }

    /// The messages of the open conversation, the oldest first.
    var log: [MessageView] { open.flatMap { model.conversation($0)?.log.messages } ?? [] }

    /// The peers that are typing in the open conversation; nil for none.
    var typing: String? {
        let typists = open.flatMap { model.conversation($0)?.typists } ?? []
        return switch typists.count {
        case 0: nil
        case 1: language(.typingOne, typists[0].displayName)
        case 2: language(.typingTwo, typists[0].displayName, typists[1].displayName)
        default: language(.typingMany, "\(typists.count)")
        }
    }

    /// The next time that `wake` has something to show; nil for never.
    var deadline: Instant? { timings.values.compactMap(\.deadline).min() }

    /// The lines since the last call.
    mutating func takeLines() -> [ChatLine] { exchange(&lines, with: []) }

    /// Shows what is due.
    mutating func wake(at now: Instant, wallClock: Timestamp) {
        for room in model.rooms.map(\.label) {
            if let deadline = timings[room.number]?.arrivals.deadline, deadline <= now {
                endArrivals(in: room, at: now, wallClock: wallClock)
            }
            if let folded = timings[room.number]?.joins.take(at: now) {
                if folded.came + folded.left > 0 {
                    tellJoins(in: room, came: folded.came, left: folded.left, at: wallClock)
                }
                tell(folded.renames, in: room, at: wallClock)
            }
            if let count = timings[room.number]?.reactions.take(at: now), isOpen(room) || showsAll {
                add(rendering.notice(language(.moreReactions, "\(count)"), at: wallClock), of: wallClock)
            }
            if let deadline = timings[room.number]?.boardAt, deadline <= now {
                timings[room.number]?.boardAt = nil
                tellBoard(of: room, at: wallClock)
            }
            if timings[room.number]?.takeLoneliness(at: now) == true {
                if isOpen(room) { add(rendering.notice(language(.lonely), at: wallClock), of: wallClock) }
            }
        }
    }

    /// Shows a report.
    package mutating func show(_ report: RoomReport, at now: Instant, wallClock: Timestamp) {
        changes = model.reduce(report, at: Moment(instant: now, wallClock: wallClock))
        let before = open
        open = openConversation
        for case .ended(let room) in changes { timings[room.number] = nil }
        for case .request(let id, isOpen: true) in changes { remind(of: id, at: now) }
        if case .event(.deleted(let message)) = report.report { ChatView.record(message.id, in: &deleted) }
        switch report.report {
        case .event(let event): show(event, report, at: now, wallClock: wallClock)
        case .error(let error): add(rendering.error(DisplayGuard.safe(error.sentence.text(in: language))))
        case .entered(let line):
            if CommandEntry.typed(in: line)?.replacesView != true { add(rendering.echo(of: line)) }
        case .answer(let answer): show(answer, report, isMoved: open != before, at: wallClock)
        case .opened: showOpen(at: wallClock)
        case .viewed, .leaving, .snapshot: break
        case .listening, .entering:
            for text in notices(of: report, at: wallClock) { add(rendering.notice(text, at: wallClock), of: wallClock) }
        }
    }

    private static func record(_ id: MessageID, in ids: inout [MessageID]) {
        if ids.count == MessageRows.capacity { ids.removeFirst() }
        ids.append(id)
    }

    /// Whether a message is one of those that were deleted last.
    func isDeleted(_ id: MessageID) -> Bool { deleted.contains(id) }

    /// Whether a conversation of a room is the open one.
    func isOpen(_ room: RoomLabel) -> Bool { open?.room == room.number }

    /// The conversation into which a text of the user goes. If none is shown, as behind the departure of a page, it is that
    /// of the room that was open last, or of the first one.
    private var openConversation: ConversationID? {
        if let shown = model.conversation(of: .shared) { return shown }
        let rooms = model.rooms.filter { !$0.isLeaving }
        let room = rooms.first { $0.label.number == open?.room } ?? rooms.first
        return room.map { ConversationID($0.label, .publicRoom) }
    }

    /// The texts of a report's notices.
    func notices(of report: RoomReport, at time: Timestamp) -> [String] {
        let plain = PlainOutput(
            clock: rendering.clock, day: rendering.day, language: language, room: report.room.name)
        return plain.notices(of: report.report, changes, at: time)
    }

    /// Changes the timing of a room, while the chat has that room.
    mutating func change<Result>(_ room: RoomLabel, _ body: (inout RoomTiming) -> Result) -> Result {
        var timing = timings[room.number] ?? RoomTiming()
        defer { timings[room.number] = model.room(room.number) == nil ? nil : timing }
        return body(&timing)
    }

    /// Forgets all that was shown and learned.
    mutating func forget() {
        let before = self
        self = ChatView(rendering.forgotten, showsAll: showsAll)
        (model, changes) = (before.model, before.changes)
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
        case .ready(let me, port: _, room: _, let isPrivate, discovery: _):
            begin(as: me, in: room, isPrivate: isPrivate, at: now, wallClock: wallClock)
        case .peer(let state, let who, reason: _, let was, let online):
            record(state, who, was: was, online: online, report, at: now, wallClock: wallClock)
        case .crowd(came: _, left: _, let online): record(online: online, report, at: now, wallClock: wallClock)
        case .message(let message): show(message, in: room, at: now, wallClock: wallClock)
        case .request(let who, _):
            let id = ConversationID(room, .direct(with: who))
            if !change(room, { $0.arrivals.hold(.request(id)) }) { showRequest(report, at: wallClock) }
        case .direct(.accepted, let who): showAccepted(who, report, at: wallClock)
        case .direct, .invitation: addDirect(notices(of: report, at: wallClock), at: wallClock)
        case .notice(let code, let sentence) where code.isWarning:
            add(rendering.error(DisplayGuard.safe(sentence.text(in: language))))
        case .elsewhere: tell(report, of: ConversationID(room, .publicRoom), at: wallClock)
        case .failed, .notice, .renamed, .status: tell(report, of: nil, at: wallClock)
        case .card(let card): show(card, in: room, at: now, wallClock: wallClock)
        case .cardRemoved(_, .hidden): break
        case .cardRemoved: tell(report, of: ConversationID(room, .publicRoom), at: wallClock)
        // The session shows deliveries, edits, deletions and reactions in the line of the message, and typing under it.
        case .edited, .deleted, .reacted, .delivered, .read, .typing, .person, .blocked, .stopped: break
        }
    }

    /// A card of now is shown; those of before are counted, together, when the first of them has been there for a while. One that was
    /// hidden and is shown again, as behind `/unblock`, has no line.
    private mutating func show(_ card: CardView, in room: RoomLabel, at now: Instant, wallClock: Timestamp) {
        guard !card.isHistory else {
            if card.isShownAgain { return }
            return change(room) { $0.boardAt = $0.boardAt ?? now + ChatView.lonelyTime }
        }
        guard isShown(ConversationID(room, .publicRoom)) else { return }
        add(rendering.notice(language(.cardOn, card.from.displayName), at: wallClock), of: wallClock)
        show(card, at: wallClock)
    }

    private mutating func tellBoard(of room: RoomLabel, at time: Timestamp) {
        let count = model.room(room.number)?.board.count ?? 0
        guard count > 0, isShown(ConversationID(room, .publicRoom)) else { return }
        let text = count == 1 ? language(.boardHasOne) : language(.boardHas, "\(count)")
        add(rendering.notice(text, at: time), of: time)
    }

    /// A peer accepted the user's request: the line says how to write there, because a text typed now goes elsewhere.
    private mutating func showAccepted(_ who: PeerName, _ report: RoomReport, at time: Timestamp) {
        let id = ConversationID(report.room, .direct(with: who))
        // The other way round, the conversation is opened by the command of the user.
        let isByUser = changes.contains(.request(id, isOpen: false))
        guard !isByUser, id != open, let number = model.number(of: id) else {
            return addDirect(notices(of: report, at: time), at: time)
        }
        addDirect([language(.directAcceptedOpen, who.displayName, "\(number)", who.numberText)], at: time)
    }

    /// Adds notices about direct conversations and invitations.
    mutating func addDirect(_ texts: [String], at time: Timestamp) {
        for text in texts { add(rendering.notice(text, at: time, rendering.theme.direct), of: time) }
    }

    private mutating func begin(
        as me: PeerName, in room: RoomLabel, isPrivate: Bool, at now: Instant, wallClock: Timestamp
    ) {
        change(room) { $0.enter(at: now) }
        let place = language(isPrivate ? .privateRoom : .openRoom, DisplayGuard.safe(room.name))
        let text = language(.welcome, me.displayName, place)
        add(rendering.notice(text, at: wallClock), of: wallClock)
    }

    private mutating func record(
        _ state: PresenceState, _ who: PeerName, was: PeerSighting?, online: Int, _ report: RoomReport,
        at now: Instant, wallClock: Timestamp
    ) {
        let room = report.room
        change(room) { $0.record(state, online: online, at: now) }
        rendering.colors.record(who.key, isPresent: state != .left)
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

    private mutating func record(online: Int, _ report: RoomReport, at now: Instant, wallClock: Timestamp) {
        change(report.room) { $0.record(online: online, at: now) }
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

    /// Tells an event of a conversation, or of none, if that is shown.
    private mutating func tell(_ report: RoomReport, of id: ConversationID?, at time: Timestamp) {
        let texts = notices(of: report, at: time)
        guard id.map(isShown) ?? true else { return }
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
