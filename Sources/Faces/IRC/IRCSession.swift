import Chat
import ChatNode
package import Commands
package import Hub
package import Model
package import Wire

/// The session of one client of IRC, as a value (RFC 1459, RFC 2812 and IRCv3; Docs/IRC.md).
///
/// The node is the only user that a client can be: all clients of a node are one user. Commands take effect one after the
/// other: a line waits until the node has performed the one before. The chat is read from the model of the hub.
package struct IRCSession: ClientSession {
    /// Bytes that wait for the node, as it sends no faster than its pace; more are not read.
    static let mostWaiting = 65_536
    static let mostMonitored = 128
    static let patience = Duration.seconds(10)
    static let pingInterval = Duration.seconds(90)

    enum Phase: Hashable, Sendable { case registering, welcomed, over }

    /// The sources of time, and the secret that lets a client in.
    package struct Entrance: Sendable {
        let token: WebToken
        let markers = IRCMarkers()
        let now: @Sendable () -> Timestamp
        /// The time of day, for clients that know no times.
        let clock: @Sendable (Timestamp) -> String

        package init(
            _ token: WebToken, now: @escaping @Sendable () -> Timestamp,
            clock: @escaping @Sendable (Timestamp) -> String
        ) {
            (self.token, self.now, self.clock) = (token, now, clock)
        }
    }

    typealias Then = @Sendable (inout IRCSession, [RoomReport], ChatModel) -> Void

    /// The reaction to an error in place of the usual one.
    struct Failed: Sendable {
        let react: @Sendable (inout IRCSession, ChatModel) -> Void

        static let silently = Failed { _, _ in }
    }

    /// The command that the node performs now.
    private struct Pending: Sendable {
        let number: Int
        let request: IRCMessage
        let failed: Failed?
        let then: Then
    }

    let entrance: Entrance
    /// Whether each message of a WebSocket is a line.
    private let isFramed: Bool
    private(set) var phase = Phase.registering
    var registration: IRCRegistration
    var capabilities: Set<IRCCapability> = []
    var directory = IRCDirectory()
    /// The key of the user in the first room; nil before it is known.
    var ownKey: PeerID?
    /// The numbers of the rooms whose channels the client is in: all of the node but those that it has left.
    var channels: Set<Int> = []
    /// The rooms of the node whose channels the client has left.
    var detached: Set<Int> = []
    /// The nicks that the client watches, by their folded form.
    var monitored: [String: String] = [:]
    /// The keys of metadata that the client has subscribed to.
    var subscriptions: Set<String> = []
    /// The texts of open requests that the client got as notices.
    var toldRequests: [ConversationID: String] = [:]
    /// The emojis of peers on messages, of which an event tells all.
    var reactions = IRCReactions()
    /// The version of the markers that the client knows, and the markers.
    var knownMarkers = 0
    var toldMarkers: [ConversationID: IRCLine] = [:]
    /// Arrivals and departures of crowds that the client was not told of, by rooms.
    private var moved: [Int: (came: Int, left: Int)] = [:]
    private var tellsMovesAt: Instant?
    private var lines = IRCLines()
    /// Parts of a command with a list, in front of the lines.
    private var parts: [IRCMessage] = []
    private var pending: Pending?
    private var finished: (Pending, [RoomReport])?
    /// Own events while a command is performed that may have caused them.
    private var held: [RoomReport] = []
    private var lastRequest = 0
    private var lastBatch = 0
    private var outbox: [ClientEffect] = []
    /// The lines that answer the present command.
    var answer: [IRCLine] = []
    /// Of the present command; nil for none.
    private var label: String?
    private var isInputOver = false
    private var heardAt: Instant
    private var isPinged = false

    /// - Parameters:
    ///   - isAuthorized: whether the token was in the head of a WebSocket.
    ///   - isFramed: whether the client sends a line in each message of a WebSocket, and gets them so.
    package init(_ entrance: Entrance, isAuthorized: Bool = false, isFramed: Bool = false, at now: Instant) {
        (self.entrance, self.isFramed, heardAt) = (entrance, isFramed, now)
        registration = IRCRegistration(hasToken: isAuthorized)
    }

    package var hasShownToken: Bool { phase == .welcomed }
    package var isOver: Bool { phase == .over && pending == nil }
    package var isReading: Bool { lines.waiting < IRCSession.mostWaiting }

    package var deadline: Instant? {
        switch phase {
        case .registering: heardAt + IRCSession.patience
        case .welcomed: [heardAt + IRCSession.pingInterval * (isPinged ? 2 : 1), tellsMovesAt].compactMap(\.self).min()
        case .over: nil
        }
    }

    package mutating func receive(_ input: [UInt8], at now: Instant) -> [ClientEffect] {
        guard phase != .over, !isInputOver else { return [] }
        // A stranger has its time once.
        if phase == .welcomed { (heardAt, isPinged) = (now, false) }
        lines.feed(isFramed ? input + [0x0a] : input)
        return pending == nil ? [.look] : []
    }

    package mutating func end(at now: Instant) -> [ClientEffect] {
        isInputOver = true
        if phase == .registering { phase = .over }
        return phase == .over ? [.close] : pending == nil ? [.look] : []
    }

    package mutating func tick(at now: Instant) -> [ClientEffect] {
        switch phase {
        case .registering: close("no registration came")
        case .welcomed where isPinged && now >= heardAt + IRCSession.pingInterval * 2: close("no answer came")
        case .welcomed:
            if let tellsMovesAt, now >= tellsMovesAt { return [.look] }
            guard !isPinged, now >= heardAt + IRCSession.pingInterval else { break }
            isPinged = true
            tell([IRCLine(nil, "PING", [ircServer])])
        case .over: break
        }
        return drain()
    }

    package mutating func turnAway(at now: Instant) -> [ClientEffect] {
        close("\(ClientQuota<Int>.mostHolders) clients are the most")
        return drain()
    }

    package mutating func leave(at now: Instant) -> [ClientEffect] {
        close("the node leaves")
        return drain()
    }

    package mutating func complete(_ number: Int, _ reports: [RoomReport]?, at now: Instant) -> [ClientEffect] {
        guard let request = pending, request.number == number else { return [] }
        pending = nil
        guard let reports else {
            close("the node leaves")
            return drain()
        }
        finished = (request, reports)
        return [.look]
    }

    /// Reacts to the answer of the node and to the lines that wait, up to one that the node has to perform.
    package mutating func look(at chat: ChatModel, _ now: Instant) -> [ClientEffect] {
        follow(chat)
        if let (request, reports) = finished {
            finished = nil
            finish(request, reports, chat)
            if pending == nil, parts.isEmpty || label == nil { endAnswer() }
        }
        while pending == nil, phase != .over {
            if !parts.isEmpty {
                perform(parts.removeFirst(), chat)
            } else if let line = lines.next() {
                take(line, chat)
            } else {
                break
            }
            if pending == nil, parts.isEmpty || label == nil { endAnswer() }
        }
        tell(newMarkers(chat))
        if isInputOver, pending == nil { close("the client left") }
        if let tellsMovesAt, now >= tellsMovesAt { tellMoves(chat) }
        return drain()
    }

    package mutating func hear(_ event: HubEvent, at now: Instant) -> [ClientEffect] {
        guard phase == .welcomed, let chat = event.chat else { return [] }
        follow(chat)
        for case .moved(let room, let came, let left) in event.changes where channels.contains(room.number) {
            let before = moved[room.number] ?? (0, 0)
            moved[room.number] = (before.came + came, before.left + left)
            tellsMovesAt = tellsMovesAt ?? now + .seconds(60)
        }
        if pending != nil, event.report.isOwnTalk {
            held.append(event.report)
        } else {
            tell(lines(of: event, chat))
        }
        // The client's own JOIN is answered once it is done.
        if !performs("JOIN") { tell(arrivals(chat)) }
        return drain()
    }

    private mutating func tellMoves(_ chat: ChatModel) {
        for (room, counts) in moved {
            guard let room = chat.room(room), channels.contains(room.label.number) else { continue }
            let text = "\(counts.came) came and \(counts.left) left; \(room.online + 1) are here"
            tell([IRCLine(ircServer, "NOTICE", [channel(of: room, chat), text])])
        }
        (moved, tellsMovesAt) = ([:], nil)
    }
}

/// Commands that the node performs.
extension IRCSession {
    /// Performs a command; the next lines wait for it.
    ///
    /// - Parameters:
    ///   - place: whose room is meant, and the conversation that counts as open; nil for the open one.
    ///   - failed: takes an error in place of the usual reaction.
    ///   - then: takes the reports of a command that is done.
    mutating func ask(
        _ command: Command, in place: ConversationID?, for request: IRCMessage,
        failed: Failed? = nil, _ then: @escaping Then = { _, _, _ in }
    ) {
        ask(.command(command), in: place, for: request, failed: failed, then)
    }

    mutating func ask(
        _ question: ClientQuestion, in place: ConversationID?, for request: IRCMessage,
        failed: Failed? = nil, _ then: @escaping Then = { _, _, _ in }
    ) {
        lastRequest += 1
        pending = Pending(number: lastRequest, request: request, failed: failed, then: then)
        outbox.append(.ask(number: lastRequest, question, in: place.map { .conversation($0) } ?? .open))
    }

    /// Performs a command of the table; its operands are checked there.
    mutating func ask(
        named name: String, _ values: [String: Operands.Value], in place: ConversationID?, for request: IRCMessage,
        failed: Failed? = nil, _ then: @escaping Then = { _, _, _ in }
    ) {
        do throws(ChatError) {
            ask(try Command(named: name, values), in: place, for: request, failed: failed, then)
        } catch {
            refuse(request, error)
        }
    }

    private mutating func finish(_ request: Pending, _ reports: [RoomReport], _ chat: ChatModel) {
        tellHeld(reports, chat)
        for report in reports {
            guard case .error(let error) = report.report else { continue }
            if let failed = request.failed { failed.react(&self, chat) } else { refuse(request.request, error) }
            return
        }
        request.then(&self, reports, chat)
    }

    /// Tells of the own events that came while a command was performed: those of the command itself are its echo, of which a
    /// client hears that asked for it; the others are of other clients and faces.
    private mutating func tellHeld(_ reports: [RoomReport], _ chat: ChatModel) {
        for report in exchange(&held, with: []) {
            guard case .event(let event) = report.report else { continue }
            let isEcho = reports.contains { if case .event(let own) = $0.report { own == event } else { false } }
            let told = lines(of: event, in: report.room, chat)
            if isEcho {
                answer += told.filter { capabilities.contains(.echoMessage) || $0.message.command == "NOTICE" }
            } else {
                tell(told)
            }
        }
    }

    /// Whether the node performs a command of this name for the client.
    func performs(_ name: String) -> Bool { pending?.request.command == name }

    /// Puts the parts of a command with a list in front of the lines that wait.
    mutating func split(_ messages: [IRCMessage]) { parts = messages + parts }

    private mutating func take(_ line: IRCLines.Line, _ chat: ChatModel) {
        switch line {
        case .tooLong: reply("417", "the line is too long")
        case .line(let bytes):
            guard let message = IRCMessage(line: bytes) else {
                let isUTF8 = String(validating: bytes, as: UTF8.self) != nil
                let code = isUTF8 ? "INVALID_MESSAGE" : "INVALID_UTF8"
                return fail("*", code, [], "a line is a command in UTF-8 without NUL and CR")
            }
            // Without batches an answer of several lines has no label that ends with it.
            if capabilities.isSuperset(of: [.labeledResponse, .batch]), let given = message[tag: "label"],
                given.utf8.count <= 64
            {
                label = given
            }
            perform(message, chat)
        }
    }
}

/// Output.
extension IRCSession {
    /// Answers the present command with a numeric reply.
    mutating func reply(_ number: String, _ parameters: String...) { reply(number, parameters) }

    mutating func reply(_ number: String, _ parameters: [String]) {
        answer.append(IRCLine(ircServer, number, [phase == .welcomed ? directory.own : "*"] + parameters))
    }

    /// Refuses the present command (IRCv3 "Standard Replies").
    mutating func fail(_ command: String, _ code: String, _ context: [String], _ text: String) {
        let text = DisplayGuard.safe(text)
        // The drafts of these commands want FAIL of every client that sends them.
        let hasFail = ["*", "REDACT", "EDIT", "MARKREAD", "CHATHISTORY", "METADATA", "SETNAME"].contains(command)
        if hasFail || capabilities.contains(.standardReplies) {
            answer.append(IRCLine(ircServer, "FAIL", [command, code] + context + [text]))
        } else if command == "PRIVMSG", let channel = context.first, channel.utf8.first == UInt8(ascii: "#") {
            // Beside the text, which many clients show as if it were said.
            answer.append(IRCLine(ircServer, "NOTICE", [DisplayGuard.safe(channel), "not said: \(text)"]))
        } else {
            let place = ([command] + context).joined(separator: " ")
            let nick = phase == .welcomed ? directory.own : "*"
            answer.append(IRCLine(ircServer, "NOTICE", [nick, "\(DisplayGuard.safe(place)): \(text)"]))
        }
    }

    /// Sends the answer of the present command with its label, in a batch if it has several lines
    /// (IRCv3 "Labeled Responses").
    private mutating func endAnswer() {
        var lines = exchange(&answer, with: []).filter(isWanted)
        guard let label = label.take() else { return tell(lines) }
        let isBatch = lines.first?.message.command == "BATCH" && lines.last?.message.command == "BATCH"
        if lines.isEmpty { lines = [IRCLine(ircServer, "ACK", [])] }
        if lines.count > 1, !isBatch { lines = batch("labeled-response", [], lines) }
        lines[0].tag("label", label)
        tell(lines)
    }

    /// Lines of one batch, which is nested for lines of another one (IRCv3 "Batch"); the lines alone for a client without batches.
    mutating func batch(_ type: String, _ parameters: [String], _ lines: [IRCLine]) -> [IRCLine] {
        guard capabilities.contains(.batch) else { return lines }
        lastBatch += 1
        let name = "b\(lastBatch)"
        let tagged = lines.map { line in
            var line = line
            if line.message[tag: "batch"] == nil { line.tag("batch", name) }
            return line
        }
        return [IRCLine(ircServer, "BATCH", ["+\(name)", type] + parameters)] + tagged
            + [IRCLine(ircServer, "BATCH", ["-\(name)"])]
    }

    mutating func tell(_ lines: [IRCLine]) {
        for line in lines where isWanted(line) && phase != .over {
            var message = line.message
            message.tags.removeAll { !isKnown(tag: $0.name) }
            // A reply may repeat a parameter of the client; texts are safe already, and may have the marks of actions.
            if !["PRIVMSG", "NOTICE", "EDIT"].contains(message.command) {
                message.parameters = message.parameters.map(DisplayGuard.safe)
            }
            outbox.append(.send(message.bytes + (isFramed ? [] : [0x0d, 0x0a]), of: line.topic))
        }
    }

    private func isWanted(_ line: IRCLine) -> Bool {
        line.message.command != "TAGMSG" || capabilities.contains(.messageTags)
    }

    private func isKnown(tag name: String) -> Bool {
        switch name {
        case "time": capabilities.contains(.serverTime) || capabilities.contains(.messageTags)
        case "batch": capabilities.contains(.batch)
        case "label": capabilities.contains(.labeledResponse)
        case _: capabilities.contains(.messageTags)
        }
    }

    private mutating func drain() -> [ClientEffect] { exchange(&outbox, with: []) }

    /// Ends the session with a reason.
    mutating func close(_ reason: String) {
        guard phase != .over else { return }
        tell(exchange(&answer, with: []))
        tell([IRCLine(nil, "ERROR", ["Closing link: \(reason)"])])
        outbox.append(.close)
        (phase, parts) = (.over, [])
    }

    /// Lets all clients look at the chat.
    mutating func showAll() { outbox.append(.lookAll) }

    mutating func countRefusal() { outbox.append(.refused) }

    mutating func welcome() { phase = .welcomed }
}

extension RoomReport {
    /// Whether it tells what the user says, changes or takes back.
    fileprivate var isOwnTalk: Bool {
        guard case .event(let event) = report else { return false }
        return switch event {
        case .message(let message), .edited(let message), .deleted(let message): message.isFromCurrentUser
        case .reacted(let reaction): reaction.isFromCurrentUser
        case .card(let card): card.isFromCurrentUser
        case .ready, .peer, .crowd, .elsewhere, .renamed, .status, .person, .blocked, .request, .direct, .invitation,
            .cardRemoved, .delivered, .read, .failed, .typing, .notice, .stopped:
            false
        }
    }
}
