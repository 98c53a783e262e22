import Chat
import ChatNode
package import Commands
import LineEditor
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
    var plain: PlainOutput
    /// All conversations in one stream, instead of the open one alone.
    var showsAll: Bool
    var showsJoins = true
    /// The messages of the open conversation, the oldest first.
    var log: [MessageView] = []
    var arrivals = ArrivalBlock()
    var joins = JoinFolder()
    var requests: [OpenRequest] = []
    var ready: NodeEvent?
    /// The nicknames of the peers that are present, in lower case.
    private var present: [PeerID: String] = [:]
    private var hasMet = false
    private var lonelyAt: Instant?
    /// The day of the latest line.
    private var shownDay: String?
    private var lines: [ChatLine] = []
    private var typingPeers = TypingPeers()

    struct OpenRequest: Sendable {
        let who: PeerName
        let since: Instant
        var isRepeated = false
    }

    package init(_ rendering: ChatRendering, showsAll: Bool = false) {
        self.rendering = rendering
        self.showsAll = showsAll
        prompt = Prompt(language: rendering.language, theme: rendering.theme)
        plain = PlainOutput(clock: rendering.clock, day: rendering.day, language: rendering.language)
    }

    var language: Language { rendering.language }

    /// The peers that are typing in the open conversation; nil for none.
    var typing: String? { typingPeers.text(in: Place(prompt.open), language) }

    /// The next time that `wake` has something to show; nil for never.
    var deadline: Instant? { [arrivals.deadline, joins.deadline, lonelyAt].compactMap(\.self).min() }

    /// The lines since the last call.
    mutating func takeLines() -> [ChatLine] { exchange(&lines, with: []) }

    /// Shows what is due.
    mutating func wake(at now: Instant, wallClock: Timestamp) {
        if let deadline = arrivals.deadline, deadline <= now { endArrivals(at: now, wallClock: wallClock) }
        if let (came, left) = joins.take(at: now) { tellJoins(came: came, left: left, at: wallClock) }
        if let deadline = lonelyAt, deadline <= now {
            lonelyAt = nil
            add(rendering.notice(language(.lonely), at: wallClock), of: wallClock)
        }
    }

    /// Shows a report.
    package mutating func show(_ report: Report, at now: Instant, wallClock: Timestamp) {
        switch report {
        case .event(let event): show(event, report, at: now, wallClock: wallClock)
        case .error(let error): add(rendering.error(DisplayGuard.safe(error.sentence.text(in: language))))
        case .entered(let command): if !ChatView.showsItself(command) { add(rendering.echo(of: command)) }
        case .answer(let answer): show(answer, report, at: now, wallClock: wallClock)
        }
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

    /// The user opens conversations by commands that show their effect.
    private static func showsItself(_ command: String) -> Bool {
        ["/open", "/close", "/query", "/part", "/wipe"].contains { command == $0 || command.hasPrefix($0 + " ") }
    }
}

/// Events.
extension ChatView {
    private mutating func show(_ event: NodeEvent, _ report: Report, at now: Instant, wallClock: Timestamp) {
        switch event {
        case .ready(let me, port: _, let room, discovery: _):
            begin(as: me, in: room, event, at: now, wallClock: wallClock)
        case .peer(let state, let who, reason: _, let online):
            note(state, who, online: online, report, at: now, wallClock: wallClock)
        case .message(let message): show(message, at: now, wallClock: wallClock)
        case .request(let who, let text):
            prompt.conversations.note(requestBy: who, isOpen: true)
            requests.append(OpenRequest(who: who, since: now))
            if !arrivals.hold(.request(who, text)) { showRequest(of: who, text, at: wallClock) }
        case .direct(let change, let who): note(change, who, report, at: wallClock)
        case .edited(let conversation, let id, let text, let unread):
            prompt.conversations.note(conversation, unread: unread)
            if let index = log.lastIndex(where: { $0.id == id }) { log[index].text = text }
            if !arrivals.edit(id, to: text) { tell(report, in: conversation, at: wallClock) }
        case .deleted(let conversation, let id, let unread):
            prompt.conversations.note(conversation, unread: unread)
            log.removeAll { $0.id == id }
            if !arrivals.delete(id) { tell(report, in: conversation, at: wallClock) }
        case .notice(let code, let sentence) where code.isWarning:
            add(rendering.error(DisplayGuard.safe(sentence.text(in: language))))
        case .failed, .notice: tell(report, in: nil, at: wallClock)
        case .typing(let who, let conversation, let isOn): typingPeers.note(who, in: Place(conversation), isOn: isOn)
        // The session shows these in the line of the message.
        case .delivered, .read, .stopped: break
        }
    }

    private mutating func begin(
        as me: PeerName, in room: String, _ event: NodeEvent, at now: Instant, wallClock: Timestamp
    ) {
        (ready, prompt.me, prompt.room) = (event, me, room)
        rendering.mention = Mention(of: me)
        lonelyAt = now + ChatView.lonelyTime
        let text = language(.welcome, PlainName.of(me), DisplayGuard.safe(room))
        add(rendering.notice(text, at: wallClock), of: wallClock)
    }

    private mutating func note(
        _ state: PresenceState, _ who: PeerName, online: Int, _ report: Report, at now: Instant, wallClock: Timestamp
    ) {
        prompt.online = online
        present[who.key] = state == .left || present.count >= Limits.knownPeers ? nil : who.nickname.lowercased()
        rendering.colors.note(who.key, isPresent: state != .left)
        if case .direct(let open) = prompt.open, open.key == who.key {
            (prompt.open, prompt.correspondent) = (.direct(with: who), state)
        }
        if state == .left { typingPeers.remove(who) }
        if !hasMet, state != .left {
            (hasMet, lonelyAt) = (true, nil)
            arrivals.begin(at: now)
        }
        let texts = plain.notices(of: report, at: wallClock)
        guard showsJoins, !texts.isEmpty else { return }
        guard state == .away || joins.note(isArrival: state == .here, at: now) else { return }
        for text in texts { add(rendering.notice(text, at: wallClock), of: wallClock) }
    }

    private mutating func note(_ change: DirectChange, _ who: PeerName, _ report: Report, at time: Timestamp) {
        prompt.conversations.note(requestBy: who, isOpen: false)
        requests.removeAll { $0.who.key == who.key }
        if change == .left { prompt.conversations.remove(who) }
        for text in plain.notices(of: report, at: time) {
            add(rendering.notice(text, at: time, rendering.theme.direct), of: time)
        }
    }

    /// Tells an event of a conversation, if that is shown.
    private mutating func tell(_ report: Report, in conversation: ConversationView?, at time: Timestamp) {
        let texts = plain.notices(of: report, at: time)
        guard conversation.map(isShown) ?? true else { return }
        for text in texts { add(rendering.notice(text, at: time), of: time) }
    }

    private mutating func tellJoins(came: Int, left: Int, at time: Timestamp) {
        let text =
            left == 0
            ? language(.came, "\(came)")
            : came == 0 ? language(.left, "\(left)") : language(.cameAndLeft, "\(came)", "\(left)")
        if showsJoins { add(rendering.notice(text, at: time), of: time) }
    }
}

/// Messages and requests.
extension ChatView {
    private func isShown(_ conversation: ConversationView) -> Bool {
        showsAll || Place(conversation) == Place(prompt.open)
    }

    private mutating func show(_ message: MessageView, at now: Instant, wallClock: Timestamp) {
        let isOpen = Place(message.conversation) == Place(prompt.open)
        if message.isFromCurrentUser, !message.isHistory {
            endArrivals(at: now, wallClock: wallClock)
        } else if message.isHistory ? arrivals.hold(message, at: now) : arrivals.hold(.message(message)) {
            _ = plain.rendering(of: .event(.message(message)), at: wallClock)
            prompt.conversations.note(message.conversation, unread: message.unread, level: level(of: message))
            return
        }
        _ = plain.rendering(of: .event(.message(message)), at: wallClock)
        prompt.conversations.note(
            message.conversation, unread: isOpen ? 0 : message.unread, level: level(of: message))
        showNow(message, at: wallClock)
    }

    private mutating func showNow(_ message: MessageView, at wallClock: Timestamp) {
        if Place(message.conversation) == Place(prompt.open) { remember(message) }
        let time = PlainMessage.time(of: message)
        if isShown(message.conversation) {
            add(rendering.line(of: message), of: time)
        } else if message.isFromCurrentUser || level(of: message) != .message {
            var line = rendering.elsewhere(message, name: shortName(of: ChatView.other(in: message)))
            line.delivery = rendering.line(of: message).delivery
            add(line, of: time)
        }
        if message.isRequest {
            add(rendering.notice(language(.requestSent), at: wallClock, rendering.theme.direct), of: wallClock)
        }
    }

    /// The author, or the receiver of an own direct message.
    private static func other(in message: MessageView) -> PeerName {
        guard message.isFromCurrentUser, case .direct(let who) = message.conversation else { return message.from }
        return who
    }

    /// The nickname alone, unless another peer that is present has the same one.
    private func shortName(of who: PeerName) -> String {
        let isShared = present.contains { $0.key != who.key && $0.value == who.nickname.lowercased() }
        return isShared || who.nickname.isEmpty ? PlainName.of(who) : DisplayGuard.safeName(who.nickname)
    }

    private func level(of message: MessageView) -> ConversationList.Level {
        if rendering.mention?.isIn(message.text) ?? false, !message.isFromCurrentUser { return .mention }
        return message.conversation == .publicRoom ? .message : .direct
    }

    private mutating func remember(_ message: MessageView) {
        log.append(message)
        if log.count > ChatView.logCapacity { log.removeFirst(ChatView.logCapacity / 4) }
    }

    /// Shows the history that was held, a rule behind it, and then what came in the meantime.
    private mutating func endArrivals(at now: Instant, wallClock: Timestamp) {
        guard arrivals.deadline != nil else { return }
        let (history, later) = arrivals.take()
        // Behind a rule, because the history is older than the lines above it.
        if !history.isEmpty, isShown(.publicRoom) { add(rendering.rule(DisplayGuard.safe(prompt.room))) }
        for message in history { showNow(message, at: wallClock) }
        if !history.isEmpty, isShown(.publicRoom) { add(rendering.rule(language(.beforeYouCame))) }
        // The rule ends the block: what follows is of today.
        if !history.isEmpty { shownDay = rendering.day(wallClock) }
        for event in later {
            switch event {
            case .message(let message): showNow(message, at: wallClock)
            case .request(let who, let text): showRequest(of: who, text, at: wallClock)
            }
        }
    }

    private mutating func showRequest(of who: PeerName, _ text: String, at time: Timestamp) {
        let report = Report.event(.request(from: who, text: text))
        for text in plain.notices(of: report, at: time) {
            add(rendering.notice(text, at: time, rendering.theme.direct), of: time)
        }
    }

    /// The user typed: repeats, once each, the requests that are still open.
    mutating func noteTyping(at now: Instant, wallClock: Timestamp) -> Bool {
        let due = requests.indices.filter {
            !requests[$0].isRepeated && requests[$0].since + ChatView.requestRest <= now
        }
        for index in due {
            requests[index].isRepeated = true
            let who = requests[index].who
            let text = language(.requestWaits, PlainName.of(who), who.numberText)
            add(rendering.notice(text, at: wallClock, rendering.theme.direct), of: wallClock)
        }
        return !due.isEmpty
    }
}
