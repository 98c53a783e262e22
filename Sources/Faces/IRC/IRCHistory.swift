import Chat
import ChatNode
import Commands
import Hub
import Model
import Rendering
import Wire

/// Messages of the past: CHATHISTORY, MARKREAD and METADATA (IRCv3 drafts of these names).
extension IRCSession {
    /// A bound of a range.
    private enum Bound: Hashable {
        case message(MessageID)
        case time(Timestamp)
        case open
    }

    /// Why a request for history is refused.
    private struct HistoryFault: Error {
        let code: String
        let context: [String]
        let text: String
    }

    mutating func history(_ message: IRCMessage, _ chat: ChatModel) {
        let step = message.parameters[0].uppercased()
        let counts = ["LATEST": 4, "BEFORE": 4, "AFTER": 4, "AROUND": 4, "BETWEEN": 5, "TARGETS": 4]
        do throws(HistoryFault) {
            guard let count = counts[step] else {
                throw HistoryFault(
                    code: "INVALID_PARAMS", context: [step], text: "there is no such CHATHISTORY command")
            }
            guard message.parameters.count >= count else {
                throw HistoryFault(code: "NEED_MORE_PARAMS", context: [step], text: "parameters are missing")
            }
            guard let limit = Int(message.parameters[count - 1]), limit >= 0 else {
                throw HistoryFault(code: "INVALID_PARAMS", context: [step], text: "the limit is a number")
            }
            let most = limit == 0 ? MessageLog.capacity : min(limit, MessageLog.capacity)
            if step == "TARGETS" { return try replyTargets(message, most, chat) }
            let name = message.parameters[1]
            guard let (conversation, label) = conversation(called: name, chat) else {
                throw HistoryFault(
                    code: "INVALID_TARGET", context: [step, name], text: "no messages can be found there")
            }
            let bounds = try message.parameters[2..<count - 1].map { text throws(HistoryFault) in
                try IRCSession.bound(text, in: step)
            }
            let found = IRCSession.select(conversation.log.messages, step, bounds, most)
            let lines = found.flatMap { self.lines(ofStored: $0, in: label, chat) }
            answer += batch("chathistory", [name], lines)
        } catch {
            fail("CHATHISTORY", error.code, error.context, error.text)
        }
    }

    private static func bound(_ text: String, in step: String) throws(HistoryFault) -> Bound {
        if text == "*", step == "LATEST" { return .open }
        let parts = text.split(separator: "=", maxSplits: 1)
        guard parts.count == 2 else {
            throw HistoryFault(code: "INVALID_PARAMS", context: [step, text], text: "a bound is msgid= or timestamp=")
        }
        switch parts[0] {
        case "msgid":
            // One that is not kept is in front of all that are.
            return MessageID(hexadecimal: parts[1]).map { .message($0) } ?? .time(Timestamp(milliseconds: 0))
        case "timestamp":
            guard let time = IRCTime.read(String(parts[1])) else {
                throw HistoryFault(
                    code: "INVALID_PARAMS", context: [step, text], text: "a timestamp is as in RFC 3339")
            }
            return .time(time)
        case _:
            throw HistoryFault(
                code: "INVALID_MSGREFTYPE", context: [step, text], text: "a bound is msgid= or timestamp=")
        }
    }

    /// The messages of a request, the oldest first.
    private static func select(
        _ messages: [MessageView], _ step: String, _ bounds: [Bound], _ most: Int
    ) -> [MessageView] {
        // The places in front of and behind a bound.
        func place(_ bound: Bound) -> (before: Int, behind: Int) {
            switch bound {
            case .open: return (0, 0)
            case .message(let id):
                let index = messages.firstIndex { $0.id == id }
                return index.map { ($0, $0 + 1) } ?? (0, 0)
            case .time(let time):
                let before = messages.firstIndex { PlainMessage.time(of: $0) >= time } ?? messages.count
                let behind = messages.firstIndex { PlainMessage.time(of: $0) > time } ?? messages.count
                return (before, behind)
            }
        }
        let (first, last) = (place(bounds[0]), place(bounds[bounds.count - 1]))
        switch step {
        case "LATEST": return Array(messages[first.behind...].suffix(most))
        case "BEFORE": return Array(messages[..<first.before].suffix(most))
        case "AFTER": return Array(messages[first.behind...].prefix(most))
        case "AROUND":
            let start = max(0, first.before - most / 2)
            return Array(messages[start...].prefix(most))
        case _:
            if first.behind <= last.before { return Array(messages[first.behind..<last.before].prefix(most)) }
            return last.behind <= first.before ? Array(messages[last.behind..<first.before].suffix(most)) : []
        }
    }

    /// CHATHISTORY TARGETS: the conversations whose last messages are between two times.
    private mutating func replyTargets(
        _ message: IRCMessage, _ most: Int, _ chat: ChatModel
    ) throws(HistoryFault) {
        var times: [Timestamp] = []
        for text in message.parameters[1...2] {
            guard text.utf8.starts(with: "timestamp=".utf8),
                case .time(let time) = try IRCSession.bound(text, in: "TARGETS")
            else {
                throw HistoryFault(code: "INVALID_PARAMS", context: ["TARGETS", text], text: "a bound is timestamp=")
            }
            times.append(time)
        }
        let range = (min(times[0], times[1]), max(times[0], times[1]))
        var rows: [(Timestamp, String)] = []
        for conversation in chat.conversations {
            guard let last = conversation.last, let room = chat.room(conversation.id.room) else { continue }
            let time = PlainMessage.time(of: last)
            guard time > range.0, time < range.1 else { continue }
            switch conversation.view {
            case .publicRoom: rows.append((time, channel(of: room, chat)))
            case .direct(let who): rows.append((time, nick(of: who, in: room.label, chat)))
            }
        }
        let lines = rows.sorted { $0.0 < $1.0 }.prefix(most).map { time, name in
            IRCLine(ircServer, "CHATHISTORY", ["TARGETS", name, UniversalTime(time).text])
        }
        answer += batch("draft/chathistory-targets", [], Array(lines))
    }

    /// The conversation of a channel that the client is in, or of a nick, with the label of its room.
    private mutating func conversation(called name: String, _ chat: ChatModel) -> (ModelConversation, RoomLabel)? {
        if name.utf8.first == UInt8(ascii: "#") {
            guard let room = room(ofChannel: name, chat), channels.contains(room.label.number) else { return nil }
            return (room.own, room.label)
        }
        guard let id = user(called: name, chat)?.id, let conversation = chat.conversation(id) else { return nil }
        return chat.room(id.room).map { (conversation, $0.label) }
    }

    /// MARKREAD: a marker at the last message is the unread state of the conversation, which all faces share.
    mutating func markRead(_ message: IRCMessage, _ chat: ChatModel) {
        let name = message.parameters[0]
        guard let (conversation, label) = conversation(called: name, chat) else {
            guard message[1] == nil else {
                return fail("MARKREAD", "INVALID_PARAMS", [name], "there is no such conversation")
            }
            return answer.append(IRCLine(ircServer, "MARKREAD", [name, "*"]))
        }
        guard let given = message[1] else { return answer.append(marker(of: conversation, name)) }
        let prefix = "timestamp="
        guard given.utf8.starts(with: prefix.utf8), let time = IRCTime.read(String(given.dropFirst(prefix.count)))
        else {
            return fail("MARKREAD", "INVALID_PARAMS", [name, given], "a marker is timestamp= and a time")
        }
        // One in the future would be there for good, as a marker only rises.
        let isRaised = entrance.markers.raise(conversation.id, to: min(time, entrance.now()))
        let line = marker(of: conversation, name)
        toldMarkers[conversation.id] = line
        answer.append(line)
        if isRaised { showAll() }
        guard conversation.unread.messages > 0, conversation.last.map({ PlainMessage.time(of: $0) <= time }) ?? false
        else { return }
        ask(.show(conversation.view, in: label), in: nil, for: message) { session, _, _ in
            session.ask(.show(nil, in: label), in: nil, for: message)
        }
    }

    /// The markers that other clients have set.
    mutating func newMarkers(_ chat: ChatModel) -> [IRCLine] {
        let version = entrance.markers.version
        guard phase == .welcomed, capabilities.contains(.readMarker), version != knownMarkers else { return [] }
        knownMarkers = version
        return entrance.markers.conversations.compactMap { newMarker(of: $0, chat) }
    }

    /// The marker of a conversation, if it is another one than the client knows.
    mutating func newMarker(of id: ConversationID, _ chat: ChatModel) -> IRCLine? {
        guard let conversation = chat.conversation(id), let name = name(of: conversation, chat) else { return nil }
        let line = marker(of: conversation, name)
        guard toldMarkers.updateValue(line, forKey: id) != line else { return nil }
        return line
    }

    /// The later time of the marker that clients have set, and of the last message in front of the first unread one.
    func marker(of conversation: ModelConversation, _ name: String) -> IRCLine {
        let messages = conversation.log.messages
        let hasRead = conversation.unread.messages <= messages.count
        let read = hasRead ? messages.prefix { !$0.isUnread }.last.map { PlainMessage.time(of: $0) } : nil
        let time = [read, entrance.markers[conversation.id]].compactMap(\.self).max()
        return IRCLine(ircServer, "MARKREAD", [name, time.map { "timestamp=\(UniversalTime($0).text)" } ?? "*"])
    }
}

/// Metadata: the line that a user shows about itself.
extension IRCSession {
    private static let about = "about"

    mutating func metadata(_ message: IRCMessage, _ chat: ChatModel) {
        let (name, step) = (message.parameters[0], message.parameters[1].uppercased())
        let keys = Array(message.parameters.dropFirst(2))
        switch step {
        case "SUB", "UNSUB":
            let known = keys.filter { $0 == IRCSession.about }
            for key in keys where key != IRCSession.about {
                fail("METADATA", "KEY_INVALID", [key], "there is no such key")
            }
            if step == "SUB" { subscriptions.formUnion(known) } else { subscriptions.subtract(known) }
            if !known.isEmpty { reply(step == "SUB" ? "770" : "771", known) }
            return
        case "SUBS": return subscriptions.isEmpty ? () : reply("772", Array(subscriptions))
        case "GET", "LIST", "SYNC", "SET", "CLEAR": break
        case _: return fail("METADATA", "SUBCOMMAND_INVALID", [step], "there is no such METADATA command")
        }
        guard step == "LIST" || step == "SYNC" || step == "CLEAR" || keys.first != nil else {
            return fail("METADATA", "NEED_MORE_PARAMS", [step], "a key is missing")
        }
        if let key = keys.first, key != IRCSession.about {
            if step == "GET" { return reply("766", name, key, "the key is not set") }
            return fail("METADATA", "KEY_INVALID", [key], "there is no such key")
        }
        let isOwn = name == "*" || IRCDirectory.folded(name) == IRCDirectory.folded(directory.own)
        guard isOwn || user(called: name, chat)?.id != nil else {
            return fail("METADATA", "INVALID_TARGET", [name], "there is no such user")
        }
        if step == "SET" || step == "CLEAR" {
            guard isOwn else {
                return fail("METADATA", "KEY_NO_PERMISSION", [name, IRCSession.about], "it is of another user")
            }
            return setAbout(step == "SET" && keys.count > 1 ? IRCSession.withoutFormats(keys[1]) : nil, message, chat)
        }
        guard !isOwn, let id = user(called: name, chat)?.id, let key = id.peer else {
            return replyAbout(ownRoom(chat)?.status.about, of: directory.own)
        }
        ask(named: "whois", ["who": .text(key.hexadecimal)], in: id, for: message) { session, reports, _ in
            session.replyAbout(reports.last?.report.content(PeerCard.self)?.peer.profile.about, of: name)
        }
    }

    private mutating func setAbout(_ text: String?, _ message: IRCMessage, _ chat: ChatModel) {
        let values = text.map { ["text": Operands.Value.text($0)] } ?? [:]
        ask(named: IRCSession.about, values, in: ownPlace(chat), for: message) { session, _, _ in
            session.replyAbout(text, of: session.directory.own)
        }
    }

    private mutating func replyAbout(_ text: String?, of name: String) {
        var line = IRCLine(ircServer, "766", [directory.own, name, IRCSession.about, "the key is not set"])
        if let text {
            line = IRCLine(ircServer, "761", [directory.own, name, IRCSession.about, "*", DisplayGuard.safe(text)])
        }
        answer += batch("metadata", [name], [line])
    }
}

/// Times as `server-time` writes them.
enum IRCTime {
    /// - Returns: nil for a text that is no such time in UTC.
    static func read(_ text: String) -> Timestamp? {
        let digits = Array(text.utf8)
        guard digits.count >= 20, digits.last == UInt8(ascii: "Z"), digits[10] == UInt8(ascii: "T") else { return nil }
        let parts = [0..<4, 5..<7, 8..<10, 11..<13, 14..<16, 17..<19].map { range in
            Int(String(decoding: digits[range], as: UTF8.self)) ?? -1
        }
        let fraction = String(decoding: digits[19..<digits.count - 1], as: UTF8.self)
        guard zip(parts, [1970...9999, 1...12, 1...31, 0...23, 0...59, 0...60]).allSatisfy({ $1.contains($0) }),
            fraction.isEmpty || fraction.utf8.first == UInt8(ascii: ".")
        else { return nil }
        let milliseconds = Int((fraction.dropFirst() + "000").prefix(3)) ?? 0
        let (year, month) = (parts[1] > 2 ? parts[0] : parts[0] - 1, (parts[1] + 9) % 12)
        // Days of the proleptic Gregorian calendar, whose years begin in March here.
        let days = 365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + parts[2] - 719_469
        let seconds = ((days * 24 + parts[3]) * 60 + parts[4]) * 60 + parts[5]
        return seconds < 0 ? nil : Timestamp(milliseconds: UInt64(seconds * 1_000 + milliseconds))
    }
}
