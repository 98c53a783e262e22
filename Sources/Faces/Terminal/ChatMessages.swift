import Chat
import ChatNode
import Commands
import LineEditor
import Model
import Phrases
import Rendering
import Wire

/// Messages and requests.
extension ChatView {
    func isShown(_ id: ConversationID) -> Bool { showsAll || id == open }

    mutating func show(_ message: MessageView, in room: RoomLabel, at now: Instant, wallClock: Timestamp) {
        let isOwn = message.isFromCurrentUser && !message.isHistory
        if isOwn || timings[room.number]?.arrivals.isFull ?? false {
            endArrivals(in: room, at: now, wallClock: wallClock)
        }
        let id = ConversationID(room, message.conversation)
        if !isOwn, change(room, { $0.arrivals.hold(message, in: id, at: now) }) { return }
        showNow(message, in: room, at: wallClock)
    }

    private mutating func showNow(_ message: MessageView, in room: RoomLabel, at wallClock: Timestamp) {
        let id = ConversationID(room, message.conversation)
        let time = PlainMessage.time(of: message)
        rendering.me = model.room(room.number)?.me
        if isShown(id) {
            add(line(of: message, in: id), of: time)
        } else if message.isFromCurrentUser || message.isMention || id.peer != nil {
            add(elsewhere(message, in: room), of: time)
        }
        if message.isRequest {
            addDirect([language(.requestSent)], at: wallClock)
        }
    }

    /// The line of a message, below what it answers.
    mutating func line(of message: MessageView, in id: ConversationID) -> ChatLine {
        var line = rendering.line(of: message)
        line.quote = message.replyTo.map { target in
            rendering.quote(of: model.conversation(id)?.log[target], isDeleted: isDeleted(target))
        }
        return line
    }

    /// The author and the beginning of the message that a line names by its id; nil while it names none of the open conversation.
    func meant(by line: String) -> StyledText? {
        guard let operand = CommandEntry.typed(in: line)?.operands.first, operand.kind == .message else { return nil }
        let words = line[...].words(maxSplits: 2)
        guard words.count > 1, words[1].count >= KnownNames.idDigits else { return nil }
        let meant = log.filter { $0.id.hexadecimal.hasPrefix(words[1].lowercased()) }
        return meant.count == 1 ? rendering.quote(of: meant[0]) : nil
    }

    /// The line of a message in a conversation that is not open.
    func elsewhere(_ message: MessageView, in room: RoomLabel) -> ChatLine {
        let isOwnPublic = message.isFromCurrentUser && message.action == nil && message.conversation == .publicRoom
        let name = isOwnPublic ? language(.you) : shortName(of: ChatView.other(in: message), in: room)
        return rendering.elsewhere(message, name: name, room: isOpen(room) ? nil : room.name)
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

    /// Shows the history that was held, a rule behind it, and then what came in the meantime.
    mutating func endArrivals(in room: RoomLabel, at now: Instant, wallClock: Timestamp) {
        guard timings[room.number]?.arrivals.deadline != nil else { return }
        let (held, later) = change(room) { $0.arrivals.take() }
        // Stable: messages of one millisecond keep the order of their arrival, which is that of the sender's ring.
        let history = held.compactMap(message).sorted { $0.sentAt < $1.sentAt }
        showHistory(history.filter { !$0.isMissed }, in: room, at: wallClock)
        showMissed(history.filter(\.isMissed), in: room, at: now, wallClock: wallClock)
        for event in later {
            switch event {
            case .message(let held): if let message = message(held) { showNow(message, in: room, at: wallClock) }
            case .request(let id):
                guard let conversation = model.conversation(id), let text = conversation.request,
                    case .direct(let who) = conversation.view
                else { continue }
                showRequest(RoomReport(room, .event(.request(from: who, text: text))), at: wallClock)
            }
        }
    }

    /// Nil for a message that is gone, as one that was deleted.
    private func message(_ held: ArrivalBlock.HeldMessage) -> MessageView? {
        model.conversation(held.conversation)?.log[held.id]
    }

    /// Shows history from before the user came, between rules, because it is older than the lines above it.
    private mutating func showHistory(_ messages: [MessageView], in room: RoomLabel, at wallClock: Timestamp) {
        let hasRules = !messages.isEmpty && isShown(ConversationID(room, .publicRoom))
        if hasRules { add(rendering.rule(DisplayGuard.safe(room.name))) }
        for message in messages { showNow(message, in: room, at: wallClock) }
        guard hasRules else { return }
        add(rendering.rule(language(.beforeYouCame)))
        // The rule ends the block: the next lines are of today.
        shownDay = rendering.day(wallClock)
    }

    /// Shows messages that were said while the user was here and could not hear them. Those that are only seconds late have
    /// no rule, as an answer that was sent before the link was up.
    private mutating func showMissed(
        _ messages: [MessageView], in room: RoomLabel, at now: Instant, wallClock: Timestamp
    ) {
        let isLate = messages.contains { PlainMessage.isMissed($0, at: wallClock) }
        if isLate, isShown(ConversationID(room, .publicRoom)) {
            let wasAlone = timings[room.number]?.wasAlone(at: now) ?? false
            add(rendering.rule(language(wasAlone ? .whileOffline : .missed, "\(messages.count)")))
        }
        for message in messages { showNow(message, in: room, at: wallClock) }
    }

    mutating func showRequest(_ report: RoomReport, at time: Timestamp) {
        let place = prefix(of: report.room.number)
        addDirect(notices(of: report, at: time).map { place + $0 }, at: time)
    }

    /// `[ROOM] ` in front of a request of a room that is not open, because an answer to its peer goes there; empty for the
    /// open room.
    private func prefix(of number: Int) -> String {
        guard let room = model.room(number)?.label, !isOpen(room) else { return "" }
        return "[\(DisplayGuard.safe(room.name))] "
    }

    /// Takes a request that is to be repeated.
    mutating func remind(of id: ConversationID, at now: Instant) {
        requests.removeAll { $0.conversation == id || model.conversation($0.conversation)?.request == nil }
        requests.append(OpenRequest(conversation: id, since: now))
    }

    /// The user typed: repeats, once each, the requests that are still open.
    mutating func recordTyping(at now: Instant, wallClock: Timestamp) -> Bool {
        requests.removeAll { model.conversation($0.conversation)?.request == nil }
        let due = requests.indices.filter {
            !requests[$0].isRepeated && requests[$0].since + ChatView.requestRest <= now
        }
        for index in due {
            requests[index].isRepeated = true
            let id = requests[index].conversation
            guard case .direct(let who)? = model.conversation(id)?.view else { continue }
            addDirect([prefix(of: id.room) + language(.requestWaits, who.displayName, who.numberText)], at: wallClock)
        }
        return !due.isEmpty
    }
}
