import Chat
package import Commands
package import Model
package import Wire

/// The clients of one server: their sessions, the output that waits for each, and the order in which they give way. A value: the
/// server brings connections, input, events and time, and carries out the requests and the changes.
///
/// The output that waits for a client is bounded: a client that leaves too much unread ends, and delays no other. A text that is
/// to be forgotten is removed from all output.
package struct EventHub: ~Copyable {
    /// Bytes that may wait for a client.
    package static let mostWaiting = 4 << 20
    /// How long a client may take to read the last output when its connection ends.
    static let closingTime = Duration.seconds(10)
    /// Sessions of clients that are gone and whose place may be taken, and for how long.
    static let mostAbsent = 64
    static let absence = Duration.seconds(120)

    /// The reason why nothing more reaches a client.
    package enum End: Hashable, Sendable {
        /// It left too much unread.
        case tooSlow
        /// Events were lost on their way to the server.
        case eventsLost
        /// It has got a part of a text that is to be forgotten.
        case textForgotten
        /// It has not shown the token and has had its time, or gives way; or there is no place for it.
        case stranger
        /// The connection is gone.
        case gone
    }

    /// A change of a client that its server has to look at.
    package enum Change: Hashable, Sendable {
        /// Something may be written, or read, or be at its end: see `standing`.
        case client(Int)
        case ended(Int, End)
    }

    package enum Standing: Hashable, Sendable {
        case open(isReading: Bool, isWriting: Bool)
        /// The client has got all that it gets.
        case closing(isInputOver: Bool)
    }

    /// A request of a session to the nodes.
    package struct Request: Sendable {
        enum Work: Hashable, Sendable {
            case command(Command)
            case question(ClientQuestion)
        }

        package let client: Int
        package let view: ViewID
        package let number: Int
        let work: Work
        let room: RequestedRoom
    }

    /// A class, so that waiting output is never copied; the hub is the only owner.
    private final class Client {
        var session: (any ClientSession)?
        var output = OutputQueue(capacity: EventHub.mostWaiting)
        /// The events of a stream, once it has begun.
        var feed: StreamFeed?
        /// When the connection ends, although something waits; nil unless it is closing.
        var closesBy: Instant?
        var isInputOver = false
        var isLost = false
        /// Whether its connections are clients of their own, which carry it one after the other.
        let isRoaming: Bool

        init(_ session: (any ClientSession)?, isRoaming: Bool) { (self.session, self.isRoaming) = (session, isRoaming) }

        var isClosing: Bool { closesBy != nil }
        var hearsEvents: Bool { feed != nil || session?.hearsEvents == true }
        /// Whether nothing follows, neither to the client nor from it.
        var isOver: Bool { isLost && session?.isOver ?? true }
        /// Whether the client has got all that it gets.
        var isDone: Bool { isClosing && output.isEmpty && feed == nil }

        /// The number of the last event that it gets before what is sent to it now; nil if it gets none of the log.
        func last(of log: EventLog) -> Int? { feed == nil ? nil : log.last }

        func act(_ body: (inout any ClientSession) -> [ClientEffect]) -> [ClientEffect] {
            // Taken out, so that its buffers are not copied.
            guard var session = session.take() else { return [] }
            let effects = body(&session)
            self.session = session
            return effects
        }
    }

    private struct Absent {
        let session: any ClientSession
        let until: Instant
    }

    private let inlet: HubInlet
    private let face: ViewID.Face
    private var quota: ClientQuota<Int>
    private var clients: [Int: Client] = [:]
    /// In the order in which their clients went.
    private var absent: [Absent] = []
    private var lastClient = 0
    private var lastEvent = 0
    private var requests: [Request] = []
    private var changes: [Change] = []
    /// The instant of the timer that is set; nil for none.
    private var timer: Instant?
    /// The latest events, for streams.
    package private(set) var log: EventLog
    /// The chat as the clients see it; nil at a server that does not keep it, or not yet.
    private var chat: ChatModel?
    /// The clients that wait for the chat.
    private var lookers: Set<Int> = []

    /// - Parameters:
    ///   - face: that of the server.
    ///   - patience: the time in which a client has to show the token.
    ///   - mostHolders: the clients that have shown it, at most.
    package init(
        _ inlet: HubInlet, of face: ViewID.Face = .web, patience: Duration,
        mostHolders: Int = ClientQuota<Int>.mostHolders, log: EventLog = .none
    ) {
        (self.inlet, self.face, self.log) = (inlet, face, log)
        quota = ClientQuota(patience: patience, mostHolders: mostHolders)
    }

    /// Empty without a chat.
    package var model: ChatModel { chat ?? ChatModel() }

    package var hasChat: Bool { chat != nil }

    /// The requests of sessions since the last call.
    package mutating func takeRequests() -> [Request] {
        defer { requests = [] }
        return requests
    }

    /// The clients that have changed since the last call.
    package mutating func takeChanges() -> [Change] {
        defer { changes = [] }
        count()
        return changes
    }

    /// Nil for a client that nothing more reaches.
    package func standing(of number: Int) -> Standing? {
        guard let client = clients[number], !client.isLost else { return nil }
        if client.isDone { return .closing(isInputOver: client.isInputOver) }
        let isReading = !client.isInputOver && client.session?.isReading ?? true
        return .open(isReading: isReading, isWriting: !client.output.isEmpty)
    }

    /// The instant of the timer to set: none that is set is as early. Nil if none is lacking.
    package mutating func takeTimer() -> Instant? {
        guard let deadline, timer.map({ $0 > deadline }) ?? true else { return nil }
        timer = deadline
        return deadline
    }

    /// A timer that was taken has fired, and acts unless an earlier one replaced it.
    ///
    /// - Returns: whether it acted.
    package mutating func fire(_ taken: Instant, at now: Instant) -> Bool {
        guard timer == taken else { return false }
        timer = nil
        tick(at: now)
        return true
    }

    /// Nil if nothing is due.
    var deadline: Instant? {
        clients.values.reduce(quota.deadline) { earliest, client in
            let own = client.closesBy ?? client.session?.deadline
            return [earliest, own].compactMap(\.self).min()
        }
    }

    /// A client is to be looked at.
    package mutating func changed(_ number: Int) {
        if changes.last != .client(number) { changes.append(.client(number)) }
    }

    private mutating func count() {
        let present = clients.values.filter { !$0.isLost && !$0.isDone }
        inlet.count(clients: present.count { !$0.isRoaming }, listeners: present.count(where: \.hearsEvents))
    }
}

/// Connections.
extension EventHub {
    /// A client has come; the one that gives way for it ends.
    ///
    /// - Parameters:
    ///   - session: nil for a connection without one, or that has none yet.
    ///   - isRoaming: whether connections carry it that are clients of their own: see `carry`.
    /// - Returns: its number.
    package mutating func arrive(
        _ session: (any ClientSession)? = nil, isRoaming: Bool = false, at now: Instant
    ) -> Int {
        lastClient += 1
        clients[lastClient] = Client(session, isRoaming: isRoaming)
        changed(lastClient)
        if let oldest = quota.arrive(lastClient, at: now) { end(oldest, .stranger, at: now) }
        act(lastClient, at: now) { $0.begin(at: now) }
        return lastClient
    }

    /// A connection gets its session.
    package mutating func begin(_ session: any ClientSession, of number: Int, at now: Instant) {
        clients[number]?.session = session
        act(number, at: now) { $0.begin(at: now) }
    }

    /// A client without a session has shown the token.
    ///
    /// - Returns: false if there is no place for one more.
    package mutating func admit(_ number: Int) -> Bool { quota.admit(number) }

    /// A connection carries a roaming session: once that has shown the token, the two count as one client, which stays.
    package mutating func carry(_ number: Int, over connection: Int) {
        if clients[number]?.session?.hasShownToken == true { quota.leave(connection) }
    }

    /// The view of a client, also of one that is gone.
    package func view(of number: Int) -> ViewID { ViewID(number, of: face) }

    /// The session of a client, as it is now.
    package func session(of number: Int) -> (any ClientSession)? { clients[number]?.session }

    private mutating func request(_ work: Request.Work, in room: RequestedRoom, number: Int, of client: Int) {
        requests.append(Request(client: client, view: view(of: client), number: number, work: work, room: room))
    }

    package mutating func receive(_ input: [UInt8], from number: Int, at now: Instant) {
        act(number, at: now) { $0.receive(input, at: now) }
    }

    /// No more input comes of a client.
    package mutating func endInput(of number: Int, at now: Instant) {
        guard let client = clients[number], !client.isInputOver else { return }
        client.isInputOver = true
        changed(number)
        act(number, at: now) { $0.end(at: now) }
    }

    /// Takes the answer to a request.
    package mutating func complete(_ request: Request, _ reports: [RoomReport]?, at now: Instant) {
        act(request.client, at: now) { $0.complete(request.number, reports, at: now) }
    }

    /// A client gets the output that waits, and nothing more.
    package mutating func close(_ number: Int, at now: Instant) {
        guard let client = clients[number] else { return }
        client.closesBy = client.closesBy ?? now + EventHub.closingTime
        client.feed = nil
        changed(number)
    }

    /// Nothing more reaches a client; requests that it sent before take effect all the same.
    package mutating func end(_ number: Int, _ end: End, at now: Instant) {
        guard let client = clients[number], !client.isLost else { return }
        switch end {
        case .tooSlow, .eventsLost, .textForgotten: inlet.countDrop()
        case .stranger: inlet.countRefusal()
        case .gone: break
        }
        client.isLost = true
        client.output.removeAll()
        client.feed = nil
        quota.leave(number)
        changes.append(.ended(number, end))
        if let session = client.session, session.place != nil {
            absent.append(Absent(session: session, until: now + EventHub.absence))
            if absent.count > EventHub.mostAbsent { absent.removeFirst() }
        }
        act(number, at: now) { $0.lose(at: now) }
        if client.isOver { clients[number] = nil }
    }

    /// Descriptors are lacking.
    ///
    /// - Returns: whether a client that has not shown the token ends for it.
    package mutating func letStrangerGo(behind grace: Duration = ClientQuota<Int>.grace, at now: Instant) -> Bool {
        guard let oldest = quota.removeOldestStranger(at: now, behind: grace) else { return false }
        end(oldest, .stranger, at: now)
        return true
    }

    /// Lets sessions act whose time has come, and ends the clients whose time is over.
    mutating func tick(at now: Instant) {
        for (number, client) in clients {
            if let closesBy = client.closesBy {
                if closesBy <= now { end(number, .gone, at: now) }
            } else if let deadline = client.session?.deadline, deadline <= now {
                act(number, at: now) { $0.tick(at: now) }
            }
        }
        // A client that gets a reason has time of its own to read it.
        for number in quota.removeOverdue(at: now) where clients[number]?.isClosing == false {
            end(number, .stranger, at: now)
        }
    }

    /// The node leaves.
    package mutating func leave(at now: Instant) {
        for number in clients.keys { act(number, at: now) { $0.leave(at: now) } }
    }

    /// Lets a session act, and performs its effects. One that shows the token then and for which there is no place gets the refusal alone.
    private mutating func act(
        _ number: Int, isTurnedAway: Bool = false, at now: Instant,
        _ body: (inout any ClientSession) -> [ClientEffect]
    ) {
        guard let client = clients[number] else { return }
        // A client that has taken all of its output is not slow, however long an answer is.
        let isForced = client.output.isEmpty
        let effects = client.act(body)
        let mayStay =
            isTurnedAway || effects.isEmpty || client.isLost || client.isClosing
            || client.session?.hasShownToken != true
        // One that takes the place of another client leaves that place first.
        let takesPlace = effects.contains { if case .takePlace = $0 { true } else { false } }
        guard mayStay || takesPlace || quota.admit(number) else { return turnAway(number, at: now) }
        for effect in effects {
            switch effect {
            case .send(let bytes, let topic):
                send(bytes, to: number, behind: client.last(of: log), of: topic, isForced: isForced, at: now)
            case .sendNumbered(let front, let back):
                let bytes = front + Array("\(log.last)".utf8) + back
                send(bytes, to: number, behind: client.last(of: log), isForced: isForced, at: now)
            case .takePlace(let place):
                let earlier = takeSession(of: place, for: number, at: now)
                act(number, at: now) { $0.takePlace(of: earlier, at: now) }
            case .follow(let behind): follow(number, behind: behind, at: now)
            case .perform(let id, let command, let room):
                request(.command(command), in: room, number: id, of: number)
            case .ask(let id, let question, let room):
                request(.question(question), in: room, number: id, of: number)
            case .look: lookers.insert(number)
            case .lookAll: lookers.formUnion(clients.keys)
            case .close: close(number, at: now)
            case .refused: inlet.countRefusal()
            }
        }
        if client.isOver { clients[number] = nil }
        guard !effects.isEmpty, !client.isLost else { return }
        changed(number)
        if !mayStay, !quota.admit(number) { turnAway(number, at: now) }
    }

    /// Whether clients wait for the chat, and it is there. The server calls `showChat` then, behind the events before: a
    /// program that sees an event at another face finds it in the chat.
    package var hasLookers: Bool { chat != nil && !lookers.isEmpty }

    /// The clients that wait for the chat look at it.
    package mutating func showChat(at now: Instant) {
        guard let chat else { return }
        for number in exchange(&lookers, with: []) { act(number, at: now) { $0.look(at: chat, now) } }
    }

    /// Ends the session with a secret, of a client that is not known to be gone.
    ///
    /// - Returns: it, or that of a client that is gone; nil if there is none, or its time is over.
    private mutating func takeSession(of place: String, for number: Int, at now: Instant) -> (any ClientSession)? {
        let isOf = { (session: (any ClientSession)?) in session?.place?.utf8.elementsEqual(place.utf8) ?? false }
        for (other, client) in clients where other != number && !client.isLost && isOf(client.session) {
            end(other, .gone, at: now)
        }
        absent.removeAll { $0.until <= now }
        return absent.firstIndex { isOf($0.session) }.map { absent.remove(at: $0).session }
    }

    private mutating func turnAway(_ number: Int, at now: Instant) {
        act(number, isTurnedAway: true, at: now) { $0.turnAway(at: now) }
        if clients[number]?.isClosing == false { end(number, .stranger, at: now) }
    }
}

/// Output.
extension EventHub {
    /// Sends bytes to one client, or lets go of it if it leaves too much unread.
    ///
    /// - Parameters:
    ///   - behind: the number of the last event of the log that the client gets before, 0 for the snapshot alone; nil for neither.
    ///   - topic: nil for what has no text of a room.
    package mutating func send(
        _ bytes: [UInt8], to number: Int, behind: Int? = nil, of topic: EventTopic? = nil, isForced: Bool = false,
        at now: Instant
    ) {
        guard let client = clients[number], !client.isLost else { return }
        let isTaken = client.output.append(bytes, of: topic, behind: behind, isForced: isForced)
        if isTaken { changed(number) } else { end(number, .tooSlow, at: now) }
    }

    /// The bytes that a stream of bytes takes next; none if nothing waits.
    package func bytes(for number: Int, upTo most: Int) -> ArraySlice<UInt8> {
        clients[number]?.output.bytes(upTo: most) ?? []
    }

    /// The client has taken so many of the bytes.
    package mutating func written(_ count: Int, to number: Int, at now: Instant) {
        guard let client = clients[number] else { return }
        client.output.take(count)
        if client.output.isEmpty { act(number, at: now) { $0.written(at: now) } }
    }

    /// Takes the message that the client gets next, of its own or an event; nil if none waits.
    package mutating func takeMessage(for number: Int) -> [UInt8]? {
        guard let client = clients[number] else { return nil }
        if client.output.isEmpty { return client.feed?.next(of: log, for: client.session) }
        let event = client.output.behind.flatMap { client.feed?.next(of: log, upTo: $0, for: client.session) }
        return event ?? client.output.takePacket()
    }

    /// Gives the messages that a client gets next, which wait again if they do not reach it.
    ///
    /// - Parameters:
    ///   - most: the bytes from which on no further one is added.
    ///   - pass: whether they reach it; none if nothing waits.
    package mutating func passMessages(to number: Int, upTo most: Int, _ pass: ([[UInt8]]) -> Bool) {
        guard let client = clients[number] else { return }
        let before = (client.output, client.feed)
        var (messages, size): ([[UInt8]], Int) = ([], 0)
        while size < most, let message = takeMessage(for: number) {
            messages.append(message)
            size += message.count
        }
        if !pass(messages) { (client.output, client.feed) = before }
    }
}

/// Events.
extension EventHub {
    /// A client gets the events of the log from now on.
    ///
    /// - Parameters:
    ///   - last: the number of the last one that it has.
    ///   - snapshot: goes before the events; nil for a client that has missed none.
    package mutating func follow(
        _ number: Int, behind last: Int, snapshot: (any HubSnapshot)? = nil, as form: EventLog.Form = .json
    ) {
        guard let client = clients[number], !client.isLost, !client.isClosing else { return }
        client.feed = StreamFeed(behind: last, of: log, snapshot: snapshot, as: form)
        changed(number)
    }

    /// A session resumes behind an event, if all behind it is kept.
    private mutating func follow(_ number: Int, behind last: Int?, at now: Instant) {
        let known = last.flatMap { log.isKnown($0) ? $0 : nil }
        let last = known ?? log.last
        act(number, at: now) { $0.follow(behind: last, isResumed: known != nil, at: now) }
        follow(number, behind: last)
    }

    /// Tells the clients of events that have come through the inlet.
    ///
    /// - Parameters:
    ///   - isLeaving: whether the program leaves, so that the end of a room takes no message away.
    ///   - logs: whether an event is one of the log.
    package mutating func tell(
        _ reports: [RoomReport], at moment: Moment, isLeaving: Bool = false,
        logs: (RoomReport) -> Bool = { _ in false }
    ) {
        for report in reports {
            let changes = reduce(report, at: moment, isLeaving: isLeaving)
            pass(report, changes, logs: logs(report), at: moment.instant)
        }
    }

    /// Takes an event into the chat, and the texts that end with it out of all that waits.
    ///
    /// - Returns: the changes of the chat; none at a server that does not keep it, and by the last event of a room if the program
    ///   leaves.
    package mutating func reduce(
        _ report: RoomReport, at moment: Moment, isLeaving: Bool = false
    ) -> [ModelChange] {
        guard !isLeaving || !report.isEnd else { return [] }
        let changes = chat?.reduce(report, at: moment) ?? []
        for change in changes { follow(change) }
        if let erasure = Erasure(behind: report) { erase(erasure, in: report.room, at: moment.instant) }
        for case .refreshed(let id, came: _, let gone) in changes {
            for message in gone { erase(.message(id, message.id), in: report.room, at: moment.instant) }
        }
        return changes
    }

    /// Tells the clients of an event that has come through the inlet, behind its reduction.
    ///
    /// - Parameters:
    ///   - successor: the message that is shown behind that of the event; nil for none.
    ///   - logs: whether the event is one of the log.
    package mutating func pass(
        _ report: RoomReport, _ changes: [ModelChange], before successor: MessageID? = nil, logs: Bool, at now: Instant
    ) {
        inlet.arrived(1)
        lastEvent += 1
        let event = HubEvent(report, changes, in: chat, number: lastEvent)
        for (number, client) in clients where !client.isLost && client.session?.hearsEvents == true {
            act(number, at: now) { $0.hear(event, at: now) }
        }
        if logs, log.append(report, before: successor) != nil { tellFollowers(at: now) }
        tellStored(changes, at: now)
    }

    /// Tells streams and sessions which messages went and came without an event of a node, each in front of one that its clients
    /// know.
    package mutating func tellStored(_ changes: [ModelChange], at now: Instant) {
        for case .refreshed(let id, let came, let gone) in changes {
            guard let room = model.room(id.room)?.label, let kept = model.conversation(id)?.log.messages else {
                continue
            }
            for message in gone { log.append(RoomReport(room, .event(.deleted(message)))) }
            let new = Set(came.map(\.id))
            var (successor, successors) = (MessageID?.none, [MessageID: MessageID]())
            for message in kept.reversed() {
                if new.contains(message.id) { successors[message.id] = successor } else { successor = message.id }
            }
            for message in came {
                log.append(
                    RoomReport(room, .event(.message(message))), before: successors[message.id], isStored: true)
            }
            tellFollowers(at: now)
        }
    }

    /// Tells streams of a request that is open again.
    package mutating func tellStored(_ report: RoomReport, at now: Instant) {
        log.append(report, isStored: true)
        tellFollowers(at: now)
    }

    /// Takes the rooms as their nodes have them: the chat is kept from now on.
    ///
    /// - Returns: the changes of the chat.
    @discardableResult
    package mutating func take(_ rooms: [RoomSnapshot]) -> [ModelChange] {
        var changes: [ModelChange] = []
        var chat = chat.take() ?? ChatModel()
        chat.take(rooms, into: &changes)
        self.chat = chat
        for change in changes { follow(change) }
        return changes
    }

    /// No client is there that sees the chat. Input of clients that are gone takes no effect at a later time.
    mutating func forgetChat() {
        chat = nil
        for number in lookers where clients[number]?.isLost == true { clients[number] = nil }
        lookers = lookers.filter { clients[$0] != nil }
    }

    /// Gives a message its present text wherever it waits.
    private mutating func follow(_ change: ModelChange) {
        guard case .edited(let id, let message, was: _, let position) = change, let room = model.room(id.room)?.label
        else {
            return
        }
        let present = position.flatMap { model.conversation(id)?.log[$0] } ?? message
        self.change(EventTopic(present, in: room), to: present, in: room)
    }

    /// - Parameter message: as it is now.
    mutating func change(_ topic: EventTopic, to message: MessageView, in room: RoomLabel) {
        log.change(topic, to: message, in: room)
        for client in clients.values { client.feed?.change(topic, to: message.text) }
    }

    /// Adds an event to the log that is no report of a node.
    ///
    /// - Parameters:
    ///   - line: makes it with its id, as `EventLog.Line`.
    ///   - bare: makes the line that is left when the texts of a peer in it are to be forgotten; nil if none is.
    package mutating func publish(
        _ topic: EventTopic, at now: Instant, bare: ((_ id: String) -> [UInt8])? = nil,
        _ line: (_ id: String) -> [UInt8]
    ) {
        log.append(topic, bare: bare, line)
        tellFollowers(at: now)
    }

    private mutating func tellFollowers(at now: Instant) {
        for (number, client) in clients {
            guard let feed = client.feed else { continue }
            if feed.isLate(for: log) { end(number, .tooSlow, at: now) } else { changed(number) }
        }
    }

    /// Events were lost on their way: the clients that hear of events end, as they would miss these without a sign.
    package mutating func loseEvents(at now: Instant) {
        inlet.closeGap()
        log.interrupt()
        for (number, client) in clients where client.hearsEvents && !client.isLost {
            end(number, .eventsLost, at: now)
        }
    }

    /// Forgets texts wherever they wait.
    ///
    /// - Parameter room: that of the texts.
    mutating func erase(_ erasure: Erasure, in room: RoomLabel, at now: Instant) {
        for entry in log.erase(erasure) { log.append(gone: entry, in: room) }
        for (number, client) in clients {
            client.feed?.erase(erasure)
            if !client.output.erase(erasure) { end(number, .textForgotten, at: now) }
        }
    }
}
