import Chat
import ChatNode
import Commands
import Model
import Phrases
import Rendering
import Wire

/// Messages and requests.
extension ChatView {
    func isShown(_ target: RoomConversation) -> Bool { showsAll || target.place == prompt.open?.place }

    mutating func show(_ message: MessageView, in room: RoomLabel, at now: Instant, wallClock: Timestamp) {
        let target = RoomConversation(room, message.conversation)
        let isOpen = target.place == prompt.open?.place
        let level = change(room) { $0.level(of: message) }
        if message.isFromCurrentUser, !message.isHistory {
            endArrivals(in: room, at: now, wallClock: wallClock)
        } else if change(room, { $0.arrivals.holds(message, at: now) }) {
            prompt.conversations.record(target, unread: message.unread, level: level)
            return
        }
        prompt.conversations.record(target, unread: isOpen ? 0 : message.unread, level: level)
        showNow(message, in: room, at: wallClock)
    }

    private mutating func showNow(_ message: MessageView, in room: RoomLabel, at wallClock: Timestamp) {
        guard let state = rooms[room.number] else { return }
        let target = RoomConversation(room, message.conversation)
        if target.place == prompt.open?.place { remember(message) }
        let time = PlainMessage.time(of: message)
        rendering.mention = state.mention
        if isShown(target) {
            add(rendering.line(of: message), of: time)
        } else if message.isFromCurrentUser || state.level(of: message) != .message {
            let name = shortName(of: ChatView.other(in: message), in: room)
            var line = rendering.elsewhere(message, name: name, room: isOpen(room) ? nil : room.name)
            line.delivery = rendering.line(of: message).delivery
            add(line, of: time)
        }
        if message.isRequest {
            add(rendering.notice(language(.requestSent), at: wallClock, rendering.theme.direct), of: wallClock)
        }
    }

    /// The name alone, unless another peer that is here has the same one, or one that looks like it.
    private func shortName(of who: PeerName, in room: RoomLabel) -> String {
        let name = who.nickname.lowercased()
        let people = model.room(room.number)?.people.all ?? []
        let isShared =
            who.contact == nil
            && people.contains { $0.isHere && $0.who.key != who.key && $0.who.nickname.lowercased() == name }
        return isShared || who.isAlike ? who.displayName : who.displayWord ?? who.displayName
    }

    /// The author, or the receiver of an own direct message.
    private static func other(in message: MessageView) -> PeerName {
        guard message.isFromCurrentUser, case .direct(let who) = message.conversation else { return message.from }
        return who
    }

    private mutating func remember(_ message: MessageView) {
        log.insert(message, at: message.position(in: log))
        if log.count > ChatView.logCapacity { log.removeFirst(ChatView.logCapacity / 4) }
    }

    /// Shows the history that was held, a rule behind it, and then what came in the meantime.
    mutating func endArrivals(in room: RoomLabel, at now: Instant, wallClock: Timestamp) {
        guard rooms[room.number]?.arrivals.deadline != nil else { return }
        let (before, missed, later) = change(room) { $0.arrivals.take() }
        showHistory(before, in: room, at: wallClock)
        showMissed(missed, in: room, at: now, wallClock: wallClock)
        for event in later {
            switch event {
            case .message(let message): showNow(message, in: room, at: wallClock)
            case .request(let who, let text):
                showRequest(RoomReport(room, .event(.request(from: who, text: text))), at: wallClock)
            }
        }
    }

    /// Shows history from before the user came, between rules, because it is older than the lines above it.
    private mutating func showHistory(_ messages: [MessageView], in room: RoomLabel, at wallClock: Timestamp) {
        let hasRules = !messages.isEmpty && isShown(RoomConversation(room, .publicRoom))
        if hasRules { add(rendering.rule(DisplayGuard.safe(room.name))) }
        for message in messages { showNow(message, in: room, at: wallClock) }
        guard hasRules else { return }
        add(rendering.rule(language(.beforeYouCame)))
        // The rule ends the block: what follows is of today.
        shownDay = rendering.day(wallClock)
    }

    /// Shows messages that were said while the user was here and could not hear them. Those that are only seconds late have
    /// no rule, as an answer that was sent before the link was up.
    private mutating func showMissed(
        _ messages: [MessageView], in room: RoomLabel, at now: Instant, wallClock: Timestamp
    ) {
        let isLate = messages.contains { PlainMessage.isMissed($0, at: wallClock) }
        if isLate, isShown(RoomConversation(room, .publicRoom)) {
            let wasAlone = rooms[room.number]?.wasAlone(at: now) ?? false
            add(rendering.rule(language(wasAlone ? .whileOffline : .missed, "\(messages.count)")))
        }
        for message in messages { showNow(message, in: room, at: wallClock) }
    }

    mutating func showRequest(_ report: RoomReport, at time: Timestamp) {
        let place = prefix(of: report.room)
        for text in notices(of: report, at: time).map({ place + $0 }) {
            add(rendering.notice(text, at: time, rendering.theme.direct), of: time)
        }
    }

    /// `[ROOM] ` in front of a request of a room that is not open, because an answer to its peer goes there; empty for the
    /// open room.
    private func prefix(of room: RoomLabel) -> String {
        let isElsewhere = prompt.open.map { $0.room != room } ?? false
        return isElsewhere ? "[\(DisplayGuard.safe(room.name))] " : ""
    }

    /// The user typed: repeats, once each, the requests that are still open.
    mutating func recordTyping(at now: Instant, wallClock: Timestamp) -> Bool {
        let due = requests.indices.filter {
            !requests[$0].isRepeated && requests[$0].since + ChatView.requestRest <= now
        }
        for index in due {
            requests[index].isRepeated = true
            let who = requests[index].who
            let text = prefix(of: requests[index].room) + language(.requestWaits, who.displayName, who.numberText)
            add(rendering.notice(text, at: wallClock, rendering.theme.direct), of: wallClock)
        }
        return !due.isEmpty
    }
}
