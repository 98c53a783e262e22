import Chat
import CWebSockets
import Glibc
package import Hub
import Model
import Noise
import Rendering
import Synchronization
import Wire
package import ChatNode
package import Commands
package import Reactor

/// The page, its API and its events, for programs and browsers of this machine (Docs/Web.md).
///
/// It lives on the thread of libwebsockets. Nothing in it waits for a client: a client that leaves too much unread is
/// disconnected, and can come back for what it missed.
package actor WebServer: ExecutorActor {
    nonisolated let thread = WebThread()
    nonisolated let library: WebSocketLibrary
    /// The library's context, by its address; 0 before and after.
    private nonisolated let context = Atomic<UInt>(0)
    /// The library's server in it, in the same way.
    private nonisolated let vhost = Atomic<UInt>(0)
    private nonisolated let mustEnd = Atomic(false)
    nonisolated let inlet = HubInlet()
    package nonisolated let token: WebToken
    nonisolated let codes = Mutex(PageCodes())
    /// Nil without a place for it.
    private var file: WebTokenFile?
    package nonisolated let port: UInt16
    nonisolated var gate: RequestGate { RequestGate(port: port, token: token) }
    var commands: CommandExecutor?
    /// Accepts connections; and has the timers, as the library has none for its caller.
    nonisolated let timers: EventLoop
    /// By the address of the library's object.
    var connections: [UInt: WebConnection] = [:]
    /// Their keys by their numbers at the hub.
    private var keys: [Int: UInt] = [:]
    var hub: EventHub
    /// Whether accepting waits for the end of a connection.
    private var lacksDescriptors = false
    /// Connections that the library does not have yet.
    private var arrivals: [Arrival] = []
    /// Whether the target of the connection that the library now takes was absolute.
    private var isNextAbsolute = false
    private var entrance: WebEntrance?
    /// The chat, as the API and the streams show it.
    var model: ChatModel { hub.model }
    private(set) var deleted = DeletedCursors()
    /// Of this turn, until `tellRows`.
    private var changed = ChangedRows()
    /// The rooms in whose own conversation other peers type now, until `tellTyping`.
    private var changedTyping: Set<Int> = []
    private(set) var colors = AuthorColors()
    /// The keys that got a colour in this turn, until `tellColors`.
    private var painted: Set<PeerID> = []
    var answers = IdempotentAnswers()
    /// The ways to the sessions of Engine.IO by their ids.
    var engines: [String: EngineSession] = [:]
    private var whenEmpty: CheckedContinuation<Void, Never>?
    /// Whether the end waits for the connections no longer.
    private var isLate = false

    package nonisolated var executor: any JobExecutor { thread }

    /// Listens at a port of 127.0.0.1, and of ::1 if the machine has it.
    ///
    /// - Parameters:
    ///   - port: 0 for any that is free.
    ///   - loop: accepts the connections and has the timers; it runs until the server has ended, and nothing else lives on it.
    /// - Throws: if the library is missing, or the port is in use.
    package static func open(port: UInt16, token: WebToken, on loop: EventLoop) throws(StartFailure) -> WebServer {
        guard let library = WebSocketLibrary.loaded else {
            throw StartFailure("--web needs libwebsockets.so.17; install the package libwebsockets17")
        }
        let listeners = try LoopbackListeners(port: port, for: "--web")
        let server = WebServer(library, token, port: listeners.port, loop)
        guard server.makeContext() else { throw StartFailure("--web: libwebsockets does not start") }
        LocalTime.prepare()
        try StartFailure.naming { () throws(SystemError) in
            try server.thread.start(wake: { [weak server] in server?.wake() }) { [weak server] in server?.serve() }
        }
        let entrance = server.makeEntrance(listeners)
        server.execute { $0.open(entrance) }
        return server
    }

    private nonisolated func makeEntrance(_ listeners: consuming LoopbackListeners) -> WebEntrance {
        WebEntrance(on: timers, listeners, hosts: gate.hosts) { [weak self] in
            self?.execute { $0.letStrangersGo() }
        } countRefusal: { [weak self] in
            self?.countRefusal()
        } pass: { [weak self] socket, bytes, isAbsolute in
            guard let self else { return _ = Glibc.close(socket) }
            self.executeRetained { $0.take(socket, bytes, isAbsolute: isAbsolute) }
        }
    }

    private func open(_ entrance: WebEntrance) { self.entrance = entrance }

    private init(_ library: WebSocketLibrary, _ token: WebToken, port: UInt16, _ timers: EventLoop) {
        (self.library, self.token, self.port, self.timers) = (library, token, port, timers)
        var randomness = Randomness.system
        let log = EventLog(run: Hexadecimal.encode(randomness.bytes(4)), line: WebJSON.line(of:before:_:))
        hub = EventHub(inlet, patience: WebConnection.idleTime, log: log)
    }

    package nonisolated var listening: Commands.Listening {
        Listening(
            face: "web", url: link, address: "127.0.0.1:\(port)", token: token.text)
    }

    /// Lets one page in.
    package nonisolated var link: String { "http://127.0.0.1:\(port)/#c=\(codes.withLock { $0.link.text })" }

    /// The link of the next page, and the token.
    package nonisolated var fileText: String { "\(link)\n\(token.text)" }

    /// Its counters in `/stats`.
    package nonisolated var counters: [Counter] {
        inlet.counters(clients: .webClients, refusals: .webRefusals, drops: .webDropped)
    }

    /// Accepts connections and performs requests from now on; connections before have waited.
    ///
    /// - Parameter file: has the link of the next page; nil if there is no such file.
    package func begin(_ commands: CommandExecutor, _ file: WebTokenFile?) async {
        (self.commands, self.file) = (commands, file)
        await commands.rooms.snapshot { [weak self] rooms in self?.execute { $0.keep(rooms) } }
        await entrance?.begin()
    }

    /// Lets a page in.
    ///
    /// - Returns: nil if the code is not good.
    func admitPage(withCode code: String) -> PageCodes.Admission? {
        let before = link
        // A browser may close the WebSocket of the page that is reloaded later than it asks for the next one.
        let shown = connections.values.lazy.filter { $0.page == code }.compactMap(shown(by:)).first
        let admission = codes.withLock { $0.admit(code, showing: shown, at: .monotonic) }
        // A link that could not be written is refused, and the page says where another one is.
        if link != before { try? file?.replace(with: fileText) }
        return admission
    }

    /// The conversation that the view of a connection shows; nil for none.
    private func shown(by connection: WebConnection) -> ConversationID? {
        connection.view == nil ? nil : model.conversation(of: hub.view(of: connection.number))
    }

    /// Tells the clients what happens, in the order of the calls. On the nodes' thread; returns at once.
    package nonisolated func tell(_ events: [RoomReport]) {
        switch inlet.take(events.count) {
        case .taken: execute { $0.pass(events) }
        case .lost(isFirst: true): execute { $0.loseEvents() }
        case .lost(isFirst: false): break
        }
    }

    /// Closes all connections; returns when they are closed, or after a second.
    package func end() async {
        await entrance?.end()
        for (key, connection) in connections { close(connection, at: key, 1001, "the node leaves") }
        wait(until: .monotonic + .seconds(1)) { server in
            server.isLate = true
            server.finish()
        }
        await withCheckedContinuation { caller in
            if connections.isEmpty || isLate { caller.resume() } else { whenEmpty = caller }
        }
        mustEnd.store(true, ordering: .relaxed)
        wake()
    }

    private func finish() {
        whenEmpty?.resume()
        whenEmpty = nil
    }
}

/// Connections, as the library tells of them.
extension WebServer {
    /// The clients that go at once where descriptors are lacking.
    private static let mostLeaving = 8
    /// More than the time in which the library reads a head that has come.
    private static let turn = Duration.milliseconds(100)

    private struct Arrival {
        let socket: CInt
        let first: [UInt8]
        let isAbsolute: Bool
    }

    /// Takes a connection whose first bytes have come.
    private func take(_ socket: CInt, _ first: [UInt8], isAbsolute: Bool) {
        arrivals.append(Arrival(socket: socket, first: first, isAbsolute: isAbsolute))
    }

    /// Gives some connections to the library; called after each of its turns. It reads all of them before the next ones come,
    /// so that no client that shows the token at once gives way as a stranger.
    private func adoptArrivals() {
        let batch = arrivals.prefix(ClientQuota<UInt>.mostStrangers / 2)
        guard !batch.isEmpty else { return }
        arrivals.removeFirst(batch.count)
        for arrival in batch {
            isNextAbsolute = arrival.isAbsolute
            adopt(arrival.socket, arrival.first)
        }
        Task { [entrance, count = batch.count] in await entrance?.taken(count) }
        if !arrivals.isEmpty { wake() }
    }

    func connected(_ key: UInt) {
        let number = hub.arrive(at: .monotonic)
        connections[key] = WebConnection(number, isAbsolute: isNextAbsolute)
        keys[number] = key
        settle()
    }

    func disconnected(_ key: UInt) {
        let connection = connections.removeValue(forKey: key)
        if let connection {
            keys[connection.number] = nil
            leaveEngine(connection, at: key)
            hub.end(connection.number, .gone, at: .monotonic)
            settle()
            if connection.use == .socket { endView(of: connection.number) }
            let shown = shown(by: connection)
            if let page = connection.page { codes.withLock { $0.disconnected(page, showing: shown, at: .monotonic) } }
        }
        if lacksDescriptors {
            lacksDescriptors = false
            Task { [entrance] in await entrance?.hasSpace() }
        }
        if connections.isEmpty { finish() }
    }

    /// A client that is gone shows nothing more.
    func endView(of number: Int) {
        guard let commands else { return }
        Task { [view = hub.view(of: number)] in await commands.show(nil, in: view) }
    }

    /// The client of a connection has shown the token.
    ///
    /// - Returns: false if there is no place for one more.
    func admit(_ key: UInt) -> Bool { connections[key].map { hub.admit($0.number) } ?? false }

    /// Descriptors are lacking: clients that have not shown the token go, and accepting goes on when the first one has.
    private func letStrangersGo() {
        lacksDescriptors = true
        for _ in 0..<WebServer.mostLeaving {
            guard hub.letStrangerGo(behind: WebServer.turn, at: .monotonic) else { break }
        }
        settle()
    }

    /// The connection of a number, if it is still there.
    func connection(_ number: Int, at key: UInt) -> WebConnection? {
        guard let connection = connections[key], connection.number == number else { return nil }
        return connection
    }

    func close(_ connection: WebConnection, at key: UInt, _ code: UInt16, _ reason: String) {
        connection.closing = connection.closing ?? (code, reason)
        hub.close(connection.number, at: .monotonic)
        settle()
    }

    /// Sends bytes to one client; see `EventHub.send`.
    func send(_ bytes: [UInt8], to connection: WebConnection, behind: Int? = nil, about topic: EventTopic? = nil) {
        guard connection.closing == nil else { return }
        hub.send(bytes, to: connection.number, behind: behind, of: topic, at: .monotonic)
        settle()
    }

    /// Counts a request or a client that was refused.
    nonisolated func countRefusal() { inlet.countRefusal() }

    /// Carries out the requests of sessions and the changes of clients.
    func settle() {
        while true {
            let (requests, changes) = (hub.takeRequests(), hub.takeChanges())
            for request in requests { perform(request) }
            for change in changes {
                switch change {
                case .client(let number):
                    if let key = keys[number] {
                        wantToWrite(key)
                    } else if let session = engine(of: number) {
                        proceed(session)
                    }
                case .ended(let number, let end): ended(number, end)
                }
            }
            guard requests.isEmpty, changes.isEmpty else { continue }
            if hub.hasLookers {
                execute {
                    $0.hub.showChat(at: .monotonic)
                    $0.settle()
                }
            }
            return arm()
        }
    }

    private func ended(_ number: Int, _ end: EventHub.End) {
        if let session = engine(of: number) { return ended(session) }
        guard let key = keys[number], let connection = connections[key] else { return }
        let (reason, isLast): (String, Bool) =
            switch end {
            case .tooSlow: ("read too slowly; come back with the last seq", true)
            case .eventsLost: ("events were lost; come back", true)
            case .textForgotten: ("a text is gone; come back", true)
            // Ends at once, even if its client does not read.
            case .stranger: ("the token comes first", false)
            case .gone: ("", false)
            }
        connection.closing = connection.closing ?? (1013, reason)
        if isLast { wantToWrite(key) } else { kill(key) }
    }

    /// Lets the hub act at its deadline.
    private func arm() {
        guard let deadline = hub.takeTimer() else { return }
        wait(until: deadline) { server in if server.hub.fire(deadline, at: .monotonic) { server.settle() } }
    }

    /// Runs `action` on the server's thread at a time, as the library has no timers for its caller.
    func wait(until deadline: Instant, _ action: @escaping @Sendable (isolated WebServer) -> Void) {
        timers.execute { [weak self, timers] in timers.schedule(at: deadline) { self?.execute(action) } }
    }

    private func perform(_ request: EventHub.Request) {
        let deliver: @Sendable ([RoomReport]?) -> Void = { [weak self] reports in
            self?.execute {
                $0.hub.complete(request, reports, at: .monotonic)
                $0.settle()
            }
        }
        guard let commands else { return deliver(nil) }
        Task { await commands.perform(request, deliver) }
    }

    private func pass(_ events: [RoomReport]) {
        // The end of the last connections tells that the node leaves.
        let isLeaving = commands?.departure.isDecided ?? true
        for report in events {
            let moment = Moment(instant: .monotonic, wallClock: .wall)
            let changes = hub.reduce(report, at: moment, isLeaving: isLeaving)
            follow(changes, of: report)
            // Notes go in front of a message, and so does the row of a conversation that begins with it.
            if case .event(.message(let message)) = report.report {
                tellNotes()
                if changed.hasConversation(ConversationID(report.room, message.conversation)) { tellRows() }
            } else if changes.contains(where: { if case .refreshed = $0 { true } else { false } }) {
                tellNotes()
                tellRows()
            }
            let logs = !(report.isEnd && isLeaving)
            hub.pass(report, changes, before: successor(of: report), logs: logs, at: .monotonic)
            for room in changedTyping { tellTyping(in: room) }
            changedTyping = []
        }
        tellTurn()
    }

    /// Tells once for all events of a turn which rows are others.
    private func tellTurn() {
        tellNotes()
        tellRows()
        tellColors()
        settle()
    }

    private func tellRows() { for row in changed.takeRows() { tell(row) } }

    /// Tells which authors and peers have another colour.
    private func tellColors() {
        guard !painted.isEmpty, let room = model.rooms.first?.label else { return painted = [] }
        let rows = painted.map { (key: $0, color: colors[$0]) }
        hub.publish(EventTopic(room), at: .monotonic) { WebJSON.colors(rows, $0) }
        painted = []
    }

    private func paint(_ key: PeerID, isPresent: Bool? = nil) {
        let before = colors.known(key)
        if let isPresent { colors.record(key, isPresent: isPresent) }
        if colors[key] != before { painted.insert(key) }
    }

    /// Tells a row as it is now. One that is gone has an event of its own.
    private func tell(_ row: ChangedRows.Row) {
        switch row {
        case .person(let room, let key):
            guard let person = model.person(key, in: room) else { return }
            var topic = EventTopic(room)
            topic.author = key
            hub.publish(topic, at: .monotonic) { WebJSON.person(person, in: room, $0) }
        case .conversation(let id):
            guard let conversation = model.conversation(id), let room = model.room(id.room), room.me != nil else {
                return
            }
            hub.publish(EventTopic(room.label), at: .monotonic) { WebJSON.conversation(conversation, in: room, $0) }
        case .ended(let id):
            guard let room = model.room(id.room)?.label else { return }
            hub.publish(EventTopic(room), at: .monotonic) { WebJSON.ended(id, in: room, $0) }
        case .unread(let id):
            guard let conversation = model.conversation(id), let room = model.room(id.room)?.label else { return }
            hub.publish(EventTopic(room), at: .monotonic) { WebJSON.counts(of: conversation, in: room, $0) }
        case .request(let id):
            guard let room = model.room(id.room) else { return }
            if let (who, text) = room.requests.first(where: { $0.who.key == id.peer }) {
                hub.tellStored(RoomReport(room.label, .event(.request(from: who, text: text))), at: .monotonic)
            } else {
                let topic = EventTopic(room.label)
                hub.publish(topic, at: .monotonic) { WebJSON.requestEnded(id, in: room.label, $0) }
            }
        }
    }

    private func tellNotes() {
        for (id, note) in changed.takeNotes() {
            guard let room = model.room(id.room) else { continue }
            let topic = EventTopic(room.label, about: note.renames.map(\.key))
            let nameless = { WebJSON.note(note.withoutRenames, of: id, in: room, $0) }
            hub.publish(topic, at: .monotonic, bare: nameless) { WebJSON.note(note, of: id, in: room, $0) }
        }
    }

    /// The message that is shown behind the one of a report; nil for a report without one, or with the last one.
    private func successor(of report: RoomReport) -> MessageID? {
        guard case .event(.message(let message)) = report.report,
            let log = model.conversation(ConversationID(report.room, message.conversation))?.log
        else { return nil }
        // History that is too old to be kept.
        if message.isHistory, !log.isEmpty, log[message.id] == nil { return log[0].id }
        return log.next(behind: message.id)?.id
    }

    private func follow(_ changes: [ModelChange], of report: RoomReport) {
        let tellsPeople =
            switch report.report {
            case .event(.message), .event(.person): false
            case .event, .error, .answer, .entered, .opened, .viewed, .leaving, .snapshot, .listening, .entering: true
            }
        for change in changes {
            // Its event has it.
            if case .request(_, isOpen: true) = change, case .event(.request) = report.report { continue }
            follow(change, tellsPeople: tellsPeople)
        }
    }

    /// Takes the rooms as their nodes have them.
    func keep(_ rooms: [RoomSnapshot]) {
        let changes = hub.take(rooms)
        for change in changes { follow(change) }
        tellTurn()
        hub.tellStored(changes, at: .monotonic)
        settle()
    }

    private func follow(_ change: ModelChange, tellsPeople: Bool = true) {
        changed.follow(change, tellsPeople: tellsPeople)
        switch change {
        case .removed(let id, let message, at: let position?):
            let previous = position == 0 ? nil : model.conversation(id)?.log[position - 1]
            deleted.add(message.id, of: id, behind: previous?.id)
        case .erased(let erasure):
            deleted.erase(erasure)
            if model.rooms.isEmpty {
                (colors, painted) = (AuthorColors(), [])
                codes.withLock { $0.forgetShown() }
            }
        case .person(let room, let person, let was):
            paint(person.who.key, isPresent: person.isHere)
            let types = model.room(room.number)?.own.typists.contains { $0.key == person.who.key } ?? false
            if types, was?.who != person.who { changedTyping.insert(room.number) }
        case .typing(let id): if id.peer == nil { changedTyping.insert(id.room) }
        case .message(_, let message, at: _, evicted: _): paint(message.from.key)
        case .refreshed(let id, came: _, gone: _):
            for message in model.conversation(id)?.log.messages ?? [] { paint(message.from.key) }
        case .board(_, let card, isUp: true): paint(card.from.key)
        case .edited, .reacted, .board, .removed, .began, .changed, .moved, .ended, .conversation, .conversationEnded,
            .delivery, .unread, .note, .request, .invitations, .active:
            break
        }
    }

    /// Events were lost: clients that would miss them, and not know, are to come back.
    private func loseEvents() {
        hub.loseEvents(at: .monotonic)
        settle()
        // The chat has missed them, too.
        Task { await commands?.rooms.snapshot { [weak self] rooms in self?.execute { $0.keep(rooms) } } }
    }
}

/// The functions of libwebsockets, which is loaded when a node serves a page.
struct WebSocketLibrary: Sendable {
    /// Nil if the library, or a function of it, is not there.
    static let loaded = WebSocketLibrary()

    let call: WebSocketFunctions

    private init?() {
        guard let table = unsafe loadedTable(web_socket_functions_load) else { return nil }
        call = table
    }
}

/// The calls of libwebsockets, and its calls back.
extension WebServer {
    /// Makes the library's context with a server that listens nowhere: `WebEntrance` does.
    private nonisolated func makeContext() -> Bool {
        library.call.lws_set_log_level(0, nil)
        let setUp = unsafe WebSetUp.make(for: self)
        guard let made = unsafe library.call.lws_create_context(setUp),
            let vhost = unsafe library.call.lws_create_vhost(made, setUp)
        else { return false }
        context.store(UInt(bitPattern: made), ordering: .releasing)
        self.vhost.store(UInt(bitPattern: vhost), ordering: .releasing)
        return true
    }

    /// Gives a connection and the bytes that were read of it to the library, which owns the descriptor from then on.
    func adopt(_ socket: CInt, _ first: [UInt8]) {
        guard context.load(ordering: .acquiring) != 0,
            let vhost = unsafe OpaquePointer(bitPattern: vhost.load(ordering: .acquiring))
        else { return _ = Glibc.close(socket) }
        let bytes = first.map { CChar(bitPattern: $0) }
        _ = unsafe library.call.lws_adopt_socket_vhost_readbuf(vhost, socket, bytes, bytes.count)
    }

    /// Ends a connection soon, whether it is idle or not.
    func kill(_ key: UInt) {
        guard let wsi = unsafe OpaquePointer(bitPattern: key) else { return }
        unsafe library.call.lws_set_timeout(wsi, PENDING_TIMEOUT_USER_OK, LWS_TO_KILL_ASYNC)
    }

    /// Serves until the server ends. On its thread.
    private nonisolated func serve() {
        guard let made = unsafe OpaquePointer(bitPattern: context.load(ordering: .acquiring)) else { return }
        let endTurn = callback {
            $0.endGone()
            $0.endEarly()
            $0.adoptArrivals()
        }
        while !mustEnd.load(ordering: .relaxed), unsafe library.call.lws_service(made, 0) >= 0 { endTurn() }
        context.store(0, ordering: .releasing)
        unsafe library.call.lws_context_destroy(made)
    }

    /// Lets the library's thread run the jobs that wait. On any thread.
    nonisolated func wake() {
        guard let made = unsafe OpaquePointer(bitPattern: context.load(ordering: .acquiring)) else { return }
        unsafe library.call.lws_cancel_service(made)
    }

    func wantToWrite(_ key: UInt) {
        guard let wsi = unsafe OpaquePointer(bitPattern: key) else { return }
        _ = unsafe library.call.lws_callback_on_writable(wsi)
    }

    /// The bytes of a call, which are removed from the library's buffer: it is read into only when more comes.
    private static func taken(_ input: UnsafeRawBufferPointer) -> [UInt8] {
        let bytes = unsafe Array(input)
        unsafe UnsafeMutableRawBufferPointer(mutating: input).initializeMemory(as: UInt8.self, repeating: 0)
        return bytes
    }

    /// An event of the library. The result closes the connection unless it is 0.
    func happened(_ reason: lws_callback_reasons, on key: UInt, _ input: UnsafeRawBufferPointer) -> Int32 {
        switch reason {
        case LWS_CALLBACK_SERVER_NEW_CLIENT_INSTANTIATED: connected(key)
        case LWS_CALLBACK_WSI_DESTROY: disconnected(key)
        case LWS_CALLBACK_HTTP: return began(key)
        case LWS_CALLBACK_HTTP_BODY: return unsafe received(body: WebServer.taken(input), on: key)
        case LWS_CALLBACK_HTTP_BODY_COMPLETION: return receivedBody(on: key)
        case LWS_CALLBACK_HTTP_WRITEABLE: return writeHTTP(key)
        case LWS_CALLBACK_HTTP_CONFIRM_UPGRADE:
            return confirmUpgrade(at: key)
        case LWS_CALLBACK_ESTABLISHED: beginSocket(key)
        case LWS_CALLBACK_RECEIVE: return unsafe received(part: WebServer.taken(input), on: key)
        case LWS_CALLBACK_SERVER_WRITEABLE: return writeSocket(key)
        case LWS_CALLBACK_RAW_RX: return unsafe refuseMethod(of: WebServer.taken(input), on: key)
        case _: break
        }
        return 0
    }
}

/// The settings of the library, which keeps pointers into them: they live as long as the program.
enum WebSetUp {
    /// Subprotocols, by their places in the table; the first one is for what is no WebSocket.
    static let protocols = ["http", "earshot.v1", "v12.stomp", "v11.stomp", "text.ircv3.net", "binary.ircv3.net"]
    /// The library reads no longer list of subprotocols, nor of what a connection is to be.
    static let longestList = 127

    /// Whether the library can read the name of a subprotocol.
    static func isReadable(_ name: String) -> Bool {
        name.utf8.count < 64
            && name.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
                    true
                case _: false
                }
            }
    }

    static func make(for server: WebServer) -> UnsafeMutablePointer<lws_context_creation_info> {
        let info = UnsafeMutablePointer<lws_context_creation_info>.allocate(capacity: 1)
        unsafe info.initialize(to: lws_context_creation_info())
        unsafe info.pointee.protocols = UnsafePointer(table())
        let validity = UnsafeMutablePointer<lws_retry_bo_t>.allocate(capacity: 1)
        unsafe validity.initialize(to: lws_retry_bo_t())
        unsafe validity.pointee.secs_since_valid_ping = 20
        unsafe validity.pointee.secs_since_valid_hangup = 60
        unsafe info.pointee.retry_and_idle_policy = UnsafePointer(validity)
        // Requests of methods that the library does not know come as bytes; it has an answer of its own otherwise.
        unsafe info.pointee.options = UInt64(
            LWS_SERVER_OPTION_EXPLICIT_VHOSTS | LWS_SERVER_OPTION_FALLBACK_TO_APPLY_LISTEN_ACCEPT_CONFIG)
        unsafe info.pointee.port = CONTEXT_PORT_NO_LISTEN_SERVER
        unsafe info.pointee.vhost_name = UnsafePointer(strdup("earshot"))
        unsafe info.pointee.gid = -1
        unsafe info.pointee.uid = -1
        unsafe info.pointee.user = Unmanaged.passUnretained(server).toOpaque()
        // More than is allowed: the library only ends the connection of a head that does not fit.
        unsafe info.pointee.max_http_header_data2 = 65_536
        unsafe info.pointee.pt_serv_buf_size = UInt32(RequestGate.readSize)
        unsafe info.pointee.max_http_header_pool2 = 128
        unsafe info.pointee.keepalive_timeout = Int32(WebConnection.idleTime.components.seconds)
        unsafe info.pointee.timeout_secs = 10
        unsafe info.pointee.fd_limit_per_thread = 256
        unsafe info.pointee.server_string = UnsafePointer(strdup("earshot"))
        return unsafe info
    }

    private static func table() -> UnsafeMutablePointer<lws_protocols> {
        let table = UnsafeMutablePointer<lws_protocols>.allocate(capacity: protocols.count + 1)
        for (index, name) in protocols.enumerated() {
            unsafe (table + index).initialize(to: lws_protocols())
            unsafe table[index].name = UnsafePointer(strdup(name))
            unsafe table[index].callback = { unsafe webCallback($0, $1, $2, $3, $4) }
            unsafe table[index].rx_buffer_size = 16_384
        }
        unsafe (table + protocols.count).initialize(to: lws_protocols())
        return unsafe table
    }
}

/// The only callback of all connections.
private func webCallback(
    _ wsi: OpaquePointer?, _ reason: lws_callback_reasons, _ user: UnsafeMutableRawPointer?,
    _ input: UnsafeMutableRawPointer?, _ length: Int
) -> CInt {
    guard WebServer.isOfInterest(reason), let wsi = unsafe wsi, let server = unsafe WebServer.of(wsi) else { return 0 }
    if reason == LWS_CALLBACK_EVENT_WAIT_CANCELLED {
        server.thread.runJobs()
        return 0
    }
    let (key, address) = (UInt(bitPattern: wsi), UInt(bitPattern: input))
    if reason == LWS_CALLBACK_HTTP_CONFIRM_UPGRADE {
        // Behind its own refusal of a name that it does not know, the library has let go of the head.
        guard unsafe server.library.call.lws_hdr_total_length(wsi, WSI_TOKEN_UPGRADE) > 0,
            let name = unsafe input?.assumingMemoryBound(to: CChar.self)
        else { return -1 }
        if unsafe strcasecmp(name, "websocket") != 0 {
            // Java's HttpClient and curl ask for HTTP/2 by the way. Without the name the library goes on with HTTP/1.1,
            // as a server may (RFC 9110 section 7.8).
            unsafe name[0] = 0
            return 0
        }
    }
    // The library waits for the result, which a callback does not have.
    return server.assumeIsolated { server in
        let bytes = unsafe UnsafeRawBufferPointer(
            start: UnsafeRawPointer(bitPattern: address), count: address == 0 ? 0 : length)
        return unsafe server.happened(reason, on: key, bytes)
    }
}

extension WebServer {
    /// Whether a call of the library is for a connection of this server, on its thread.
    fileprivate static func isOfInterest(_ reason: lws_callback_reasons) -> Bool {
        switch reason {
        case LWS_CALLBACK_EVENT_WAIT_CANCELLED, LWS_CALLBACK_SERVER_NEW_CLIENT_INSTANTIATED, LWS_CALLBACK_WSI_DESTROY,
            LWS_CALLBACK_HTTP, LWS_CALLBACK_HTTP_BODY, LWS_CALLBACK_HTTP_BODY_COMPLETION, LWS_CALLBACK_HTTP_WRITEABLE,
            LWS_CALLBACK_HTTP_CONFIRM_UPGRADE, LWS_CALLBACK_ESTABLISHED, LWS_CALLBACK_RECEIVE,
            LWS_CALLBACK_SERVER_WRITEABLE, LWS_CALLBACK_RAW_RX:
            true
        case _: false
        }
    }

    /// The server whose context a connection belongs to.
    fileprivate static func of(_ wsi: OpaquePointer) -> WebServer? {
        guard let library = WebSocketLibrary.loaded, let context = unsafe library.call.lws_get_context(wsi),
            let user = unsafe library.call.lws_context_user(context)
        else { return nil }
        return unsafe Unmanaged<WebServer>.fromOpaque(user).takeUnretainedValue()
    }
}

/// Answers and streams: from values to the library.
extension WebServer {
    /// Writes the answer of a request, or a part of a stream.
    ///
    /// - Returns: not 0 to close the connection.
    func writeHTTP(_ key: UInt) -> Int32 {
        guard let connection = connections[key], let wsi = unsafe OpaquePointer(bitPattern: key) else { return -1 }
        if connection.use == .events { return unsafe writeEvents(connection, to: wsi) }
        if connection.phase == .answered { return unsafe finish(connection, to: wsi) }
        guard let answer = connection.answer else {
            if let session = engines.values.first(where: { $0.parked == key }) {
                return unsafe writePoll(of: session, connection, at: key, to: wsi)
            }
            return connection.closing == nil ? 0 : -1
        }
        connection.answer = nil
        return unsafe write(answer, connection, to: wsi) ? answered(connection, answer, at: key, to: wsi) : -1
    }

    private func writePoll(
        of session: EngineSession, _ connection: WebConnection, at key: UInt, to wsi: OpaquePointer
    ) -> Int32 {
        var written: WebAnswer?
        let isWritten = passPackets(of: session, at: key) {
            written = $0
            return unsafe write($0, connection, to: wsi)
        }
        guard let isWritten, let written else { return 0 }
        return unsafe isWritten ? answered(connection, written, at: key, to: wsi) : -1
    }

    /// - Returns: false if it does not reach the client.
    private func write(_ answer: WebAnswer, _ connection: WebConnection, to wsi: OpaquePointer) -> Bool {
        var answer = answer
        answer.closes = answer.closes || connection.head.closes
        let isHead = connection.head.method == "HEAD" || answer.status == 204 || answer.status == 304
        return unsafe writeHead(answer, length: answer.isEndless ? nil : answer.body.count, to: wsi)
            && (isHead || answer.body.isEmpty || write(answer.body, LWS_WRITE_HTTP_FINAL, to: wsi))
    }

    /// An answer is written.
    private func answered(
        _ connection: WebConnection, _ answer: WebAnswer, at key: UInt, to wsi: OpaquePointer
    ) -> Int32 {
        if answer.closes || connection.head.closes || answer.isEndless || connection.closing != nil { return -1 }
        connection.phase = .answered
        guard unsafe library.call.lws_partial_buffered(wsi) == 0 else {
            // The library calls again when it has written all of it.
            wantToWrite(key)
            return 0
        }
        return unsafe finish(connection, to: wsi)
    }

    /// Lets the next request of a connection come.
    private func finish(_ connection: WebConnection, to wsi: OpaquePointer) -> Int32 {
        connection.readBefore = unsafe bytesRead(of: wsi)
        connection.phase = .waiting
        return unsafe library.call.lws_http_transaction_completed(wsi)
    }

    /// - Parameter length: nil for a stream, which ends with its connection.
    private func writeHead(_ answer: WebAnswer, length: Int?, to wsi: OpaquePointer) -> Bool {
        var fields = answer.fields(isWhole: length != nil)
        if let length, answer.status != 304, answer.status != 204 { fields["content-length"] = "\(length)" }
        let room = Int(web_socket_headroom)
        var buffer = [UInt8](repeating: 0, count: room + 4_096)
        let size = buffer.count
        return unsafe buffer.withUnsafeMutableBufferPointer { buffer in
            guard let base = buffer.baseAddress else { return false }
            let (start, end) = unsafe (base + room, base + size - 1)
            var place: UnsafeMutablePointer<UInt8>? = unsafe start
            guard unsafe library.call.lws_add_http_header_status(wsi, UInt32(answer.status), &place, end) == 0 else {
                return false
            }
            for (name, value) in fields.sorted(by: { $0.key < $1.key }) {
                let bytes = Array(value.utf8)
                let added = unsafe library.call.lws_add_http_header_by_name(
                    wsi, Array((name + ":\0").utf8), bytes, Int32(bytes.count), &place, end)
                guard added == 0 else { return false }
            }
            guard unsafe library.call.lws_finalize_http_header(wsi, &place, end) == 0, let place = unsafe place else {
                return false
            }
            let count = unsafe place - start
            return unsafe library.call.lws_write(wsi, start, count, LWS_WRITE_HTTP_HEADERS) >= count
        }
    }

    /// Lets a client send the body that it announced (RFC 9110 section 10.1.1).
    func sendContinue(_ key: UInt) -> Int32 {
        guard let wsi = unsafe OpaquePointer(bitPattern: key) else { return -1 }
        return unsafe write(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8), LWS_WRITE_HTTP_HEADERS, to: wsi) ? 0 : -1
    }

    /// The library keeps what the system does not take at once.
    private func write(_ bytes: [UInt8], _ kind: lws_write_protocol, to wsi: OpaquePointer) -> Bool {
        let room = Int(web_socket_headroom)
        var buffer = [UInt8](repeating: 0, count: room) + bytes
        return unsafe buffer.withUnsafeMutableBufferPointer { buffer in
            guard let base = buffer.baseAddress else { return false }
            return unsafe library.call.lws_write(wsi, base + room, bytes.count, kind) >= bytes.count
        }
    }

    private func writeEvents(_ connection: WebConnection, to wsi: OpaquePointer) -> Int32 {
        if !connection.hasBegun {
            connection.hasBegun = true
            guard unsafe writeHead(WebAnswer(status: 200, type: "text/event-stream"), length: nil, to: wsi) else {
                return -1
            }
        } else if let next = hub.takeMessage(for: connection.number) {
            guard unsafe write(next, LWS_WRITE_HTTP, to: wsi) else { return -1 }
        } else {
            return connection.closing == nil ? 0 : -1
        }
        _ = unsafe library.call.lws_callback_on_writable(wsi)
        return 0
    }

    /// Writes a message to a WebSocket.
    private func writeSocket(_ key: UInt) -> Int32 {
        guard let connection = connections[key], let wsi = unsafe OpaquePointer(bitPattern: key) else { return -1 }
        // The one of a session is carried once the client has changed to the WebSocket.
        var carried: Int?
        if case .engine(let session) = connection.use, session.socket == key { carried = session.client }
        if let next = hub.takeMessage(for: connection.number) ?? carried.flatMap({ hub.takeMessage(for: $0) }) {
            let kind = connection.sendsBinary ? LWS_WRITE_BINARY : LWS_WRITE_TEXT
            guard unsafe write(next, kind, to: wsi) else { return -1 }
            _ = unsafe library.call.lws_callback_on_writable(wsi)
            return 0
        }
        // A session that is over closes its connection behind its output.
        let isOver = if case .closing = hub.standing(of: carried ?? connection.number) { true } else { false }
        guard let (code, reason) = connection.closing ?? (isOver ? (1000, "") : nil) else { return 0 }
        var bytes = Array(reason.utf8.prefix(120))
        unsafe library.call.lws_close_reason(wsi, lws_close_status(UInt32(code)), &bytes, bytes.count)
        return -1
    }

    /// A part of a WebSocket message has come.
    func received(part: [UInt8], on key: UInt) -> Int32 {
        guard let connection = connections[key], let wsi = unsafe OpaquePointer(bitPattern: key) else { return -1 }
        if connection.use == .socket, unsafe library.call.lws_frame_is_binary(wsi) != 0 {
            return refuse(connection, at: key, 1003, "text only")
        }
        guard connection.message.count + part.count <= WebConnection.longestMessage else {
            return refuse(connection, at: key, 1009, "a message has \(WebConnection.longestMessage) bytes at most")
        }
        connection.message += part
        let isWhole =
            unsafe library.call.lws_is_final_fragment(wsi) != 0
            && library.call.lws_remaining_packet_payload(wsi) == 0
        guard isWhole else { return 0 }
        let message = connection.message
        connection.message = []
        if case .engine(let session) = connection.use {
            receive(message, of: session, overSocketAt: key)
        } else if connection.use == .gateway {
            hub.receive(message, from: connection.number, at: .monotonic)
            settle()
        } else {
            receive(message, from: connection, at: key)
        }
        return 0
    }

    private func refuse(_ connection: WebConnection, at key: UInt, _ code: UInt16, _ reason: String) -> Int32 {
        close(connection, at: key, code, reason)
        return 0
    }
}
