package import Chat
package import ChatNode
import Phrases
package import Wire

/// The rooms that the program is in, each with its node, and the one whose conversation is open.
///
/// Owns the nodes, and lives on their executor. `/wipe` ends all of them; a node of another identity begins then.
package actor Program: LoopActor {
    package struct JoinedRoom {
        package let label: RoomLabel
        package let node: Node
    }

    package nonisolated let scheduler: any Scheduler

    /// The rooms in the order in which they were joined; without those that are being left.
    package private(set) var all: [JoinedRoom] = []
    /// Rooms without a node yet, or with one that is leaving; they count as rooms, and keep their names.
    private var others: [RoomLabel: Node?] = [:]
    /// The room that was opened; nil for the first one.
    private var opened: RoomLabel?
    /// The conversations that views besides the shared one show: one for each client of a server, at most.
    private var views: [ViewID: (room: RoomLabel, conversation: Conversation)] = [:]
    private var lastNumber = 0
    /// Callers that wait for a room to be ready.
    private var beginners: [RoomLabel: CheckedContinuation<Bool, Never>] = [:]
    /// Rooms that are ready, and that no caller has waited for since.
    private var ready: Set<RoomLabel> = []
    private var invitedRooms = Invitations()
    /// Where the user said the last message since the program began or was wiped; nil before it.
    private var lastSaid: (room: RoomLabel, conversation: ConversationView)?
    /// The names of private rooms that the program has been in since it began or was wiped, at most 64, the newest at the end.
    private var privateNames: [String] = []
    private var numbers = ConversationNumbers()
    /// The user's choice of this run, which outlasts a wipe; nil for that of the command line.
    private var sendsCover: Bool?
    /// Whether the nodes end because of `/wipe`.
    package private(set) var isWiping = false
    /// The memory of the nodes that `/wipe` ends.
    private var forgotten: MemoryUsage?
    /// The answer of a wipe that is done.
    private var wipeAnswer: Answer?
    /// Callers that wait for the end of a wipe.
    private var waiting: [CheckedContinuation<Void, Never>] = []
    /// Callers that wait for its answer.
    private var wipers: [CheckedContinuation<Answer?, Never>] = []
    /// Whether the user wants no pause behind the wipe.
    private var skipsPause = false
    /// Whether the pause behind a wipe is over, and the new identity is about to come.
    private var isReturning = false
    /// When the pause behind a wipe ends, and the caller that waits for it; nil at other times.
    private var pause: (end: Instant, waiting: CheckedContinuation<Void, Never>)?

    /// - Parameter scheduler: that of the nodes.
    package init(on scheduler: any Scheduler) { self.scheduler = scheduler }

    /// The open room; nil before the first one and after the last one. Callers must not keep its node: wiped memory is
    /// freed with the last reference.
    package var open: JoinedRoom? { all.first { $0.label == opened } ?? all.first }

    package var openLabel: RoomLabel? { open?.label }

    /// Whether no node runs, leaves or begins.
    package var isEmpty: Bool { all.isEmpty && others.isEmpty }

    /// The number of rooms whose nodes wait yet before they announce themselves.
    package var entering: Int { all.count { !$0.node.hasEntered } }

    /// The labels of the rooms, in the order in which they were joined.
    package var labels: [RoomLabel] { all.map(\.label) }

    /// The room with a name, in any case of letters where no other name differs in that alone.
    package func named(_ name: some StringProtocol) -> JoinedRoom? {
        if let room = all.first(where: { $0.label.name == name }) { return room }
        let similar = all.filter { $0.label.name.lowercased() == name.lowercased() }
        return similar.count == 1 ? similar[0] : nil
    }

    /// The label of the room with a name, as `named` finds it.
    package func label(named name: String) -> RoomLabel? { named(name)?.label }

    subscript(label: RoomLabel) -> JoinedRoom? { all.first { $0.label == label } }

    /// The label of a room that the program is in.
    package func label(of room: Room) -> RoomLabel? {
        all.first { $0.node.configuration.room.isSame(as: room) }?.label
    }

    /// A label for a room that is about to be joined.
    ///
    /// - Throws: `too_many_rooms` above 16.
    package func reserve(_ name: String) throws(ChatError) -> RoomLabel {
        guard all.count + others.count < Limits.rooms else {
            throw ChatError(.tooManyRooms, .tooManyRooms, "\(Limits.rooms)")
        }
        let names = Set(labels.map(\.name) + others.keys.map(\.name))
        var unique = name
        for number in 2...Limits.rooms + 1 where names.contains(unique) { unique = "\(name)/\(number)" }
        lastNumber += 1
        let label = RoomLabel(number: lastNumber, name: unique)
        others[label] = .some(nil)
        return label
    }

    /// Adds a room whose label was reserved; the first one is open.
    package func add(_ label: RoomLabel, _ node: Node) {
        if let sendsCover { node.turnCover(on: sendsCover) }
        others[label] = nil
        all.append(JoinedRoom(label: label, node: node))
        opened = opened ?? label
        if node.configuration.room.isPrivate { recordPrivate(node.configuration.room.name) }
    }

    private func recordPrivate(_ name: String) {
        privateNames.removeAll { $0 == name }
        privateNames.append(name)
        if privateNames.count > Program.mostPrivateNames { privateNames.removeFirst() }
    }

    /// Whether the program has been in a private room of a name, in any case of letters.
    func wasPrivate(_ name: String) -> Bool {
        privateNames.contains { $0.lowercased() == name.lowercased() }
    }

    private static let mostPrivateNames = 4 * Limits.rooms

    /// Turns cover on or off, in all rooms and in those that are joined later.
    func turnCover(on isOn: Bool) {
        sendsCover = isOn
        for room in all { room.node.turnCover(on: isOn) }
    }

    /// Removes a room that is left: no command reaches it any more, while its node says goodbye.
    func leave(_ label: RoomLabel) {
        guard let index = all.firstIndex(where: { $0.label == label }) else { return }
        others[label] = .some(all.remove(at: index).node)
        if opened == label { opened = nil }
    }

    /// Lets go of a room whose node has ended, or did not begin.
    package func remove(_ label: RoomLabel) {
        others[label] = nil
        ready.remove(label)
        all.removeAll { $0.label == label }
        numbers.remove(label)
        views = views.filter { $0.value.room != label }
        if opened == label { opened = nil }
    }

    /// Returns true when the node of a room is ready, false if it ends before. For one caller.
    package func awaitReady(_ label: RoomLabel) async -> Bool {
        // Other jobs of the loop run before the closure does: a check in front of it may be out of date.
        await withCheckedContinuation { caller in
            if ready.remove(label) != nil { return caller.resume(returning: true) }
            guard self[label] != nil else { return caller.resume(returning: false) }
            beginners[label] = caller
        }
    }

    /// Resumes the caller that waits for a room, or the one that will.
    package func recordReady(_ label: RoomLabel, _ isReady: Bool = true) {
        if let waiting = beginners.removeValue(forKey: label) { return waiting.resume(returning: isReady) }
        let isThere = self[label] != nil || others[label] != nil
        if isReady, isThere { ready.insert(label) } else { ready.remove(label) }
    }

    /// Opens a room: in the one that was open, no conversation is looked at any more.
    func look(at room: JoinedRoom) {
        if let before = open, before.label != room.label {
            before.node.change(.lookAway)
            before.node.flushEvents()
        }
        opened = room.label
    }

    /// Shows a conversation of a room in a view of its own; nil for none.
    ///
    /// - Returns: the room that it showed before.
    func show(_ conversation: Conversation?, of room: RoomLabel?, in view: ViewID) -> RoomLabel? {
        let before = views.removeValue(forKey: view)?.room
        if let conversation, let room { views[view] = (room, conversation) }
        for other in all where other.label == before || other.label == room {
            let shown = views.values.filter { $0.room == other.label }.map(\.conversation)
            other.node.change(.watch(Set(shown)))
            other.node.flushEvents()
        }
        return before
    }

    /// The conversation that a client shows in a view of its own, with its room; nil for none.
    func place(of view: ViewID?) -> (room: RoomLabel, conversation: Conversation)? {
        guard let view, let place = views[view], self[place.room] != nil else { return nil }
        return place
    }

    /// Sets whether the user types in the open conversation.
    package func setTyping(_ isOn: Bool) { open?.node.change(.typing(isOn)) }

    /// Starts the node at a place among all: the first one enters its room at once, each other one after a random time of its
    /// own, or when the user looks at the room or acts in it. So no observer sees the rooms of one process begin in one moment.
    package func start(at place: Int) throws(TransportError) {
        let node = all[place].node
        guard place > 0 else { return try node.start() }
        node.change(.lookAway)
        try node.start(after: Program.draw(atMost: Program.longestEntry))
    }

    /// Begins to leave all rooms: one at once, each other one after a random time of its own.
    package func beginLeaving() {
        endPause()
        all.first?.node.beginLeaving()
        for label in labels.dropFirst() {
            schedule(after: Program.draw(atMost: Program.longestParting)) { $0[label]?.node.beginLeaving() }
        }
    }

    /// Leaves all rooms; returns when their nodes have ended.
    package func leave() async {
        let nodes = allNodes
        beginLeaving()
        for node in nodes { await node.awaitEnd() }
    }

    private static func draw(atMost longest: Duration) -> Duration {
        .nanoseconds(Int64.random(in: 0...longest.nanoseconds))
    }

    private static let longestEntry = Duration.seconds(10)
    /// The user waits for the last room.
    private static let longestParting = Duration.milliseconds(800)

    private var allNodes: [Node] { all.map(\.node) + others.values.compactMap(\.self) }
}

/// Events of nodes.
extension Program {
    /// A receiver of the events of a room's node, up to its end: later ones belong to a run that is over. Keeps the
    /// invitations among them.
    ///
    /// - Parameter other: receives each batch too.
    package func entrance(
        of room: RoomLabel, to reports: ReportQueue, and other: (@Sendable ([RoomReport]) -> Void)? = nil
    ) -> ([NodeEvent]) -> Void {
        var hasEnded = false
        return { batch in
            guard !hasEnded else { return }
            let new = batch.map { event in
                self.recordSaid(event, in: room)
                return RoomReport(room, .event(self.recorded(event)), numbers: self.recordNumber(event, in: room))
            }
            hasEnded = new.contains(where: \.isEnd)
            // A program that sees the output and asks a face finds the event there.
            other?(new)
            reports.append(new)
        }
    }

    /// An event as it is shown: of an invitation, with whether the program is in the room. Keeps an invitation, until its
    /// peer is blocked.
    func recorded(_ event: NodeEvent) -> NodeEvent {
        if case .blocked(let who, isOn: true) = event { _ = invitedRooms.remove(of: who.key) }
        guard case .invitation(let from, let room, isThere: _) = event else { return event }
        let isThere = label(of: room) != nil
        if !isThere { invitedRooms.add(room, from: from) }
        return .invitation(from: from, to: room, isThere: isThere)
    }

    /// Keeps the place of the user's last message.
    func recordSaid(_ event: NodeEvent, in room: RoomLabel) {
        guard case .message(let message) = event, message.isFromCurrentUser, !message.isHistory else { return }
        lastSaid = (room, message.conversation)
    }

    /// Checks that the user said the last message in a conversation, for a command that changes the last one and names none:
    /// elsewhere, it would publish a correction of a private text.
    ///
    /// - Throws: `unknown_message`.
    func checkLastSaid(in room: JoinedRoom, _ conversation: Conversation) throws(ChatError) {
        guard let last = lastSaid, last.room != room.label || Conversation(last.conversation) != conversation else {
            return
        }
        let place =
            switch last.conversation {
            case .publicRoom: last.room.name
            case .direct(let who): last.room == room.label ? who.displayName : "\(who.displayName) @\(last.room.name)"
            }
        throw ChatError(.unknownMessage, .lastSaidElsewhere, place)
    }

    /// Gives the conversation that begins by an event its number.
    ///
    /// - Returns: the numbers of the room's conversations; nil if they stay as they are.
    private func recordNumber(_ event: NodeEvent, in room: RoomLabel) -> [Conversation: Int]? {
        numbers.add(event, of: room) { isKept($0, in: room) }
    }

    /// As above, of a conversation that a face shows.
    func recordNumber(of conversation: Conversation, in room: RoomLabel) -> [Conversation: Int]? {
        numbers.add(conversation, of: room) { isKept($0, in: room) }
    }

    private func isKept(_ conversation: Conversation, in room: RoomLabel) -> Bool {
        guard case .direct(let peer) = conversation, let node = self[room]?.node else { return true }
        return node.chat.hasConversation(with: peer)
    }

    /// The invitations to rooms that the program is not in.
    package var invitations: [InvitedRoom] {
        invitedRooms.all.filter { label(of: $0.room) == nil }.map { InvitedRoom(room: $0.room, from: $0.from) }
    }

    /// The room of a name that the user was last invited to; nil if there is none.
    package func invitation(to name: String) -> Room? { invitedRooms.room(named: name) }

    /// Forgets the invitation to a room that was joined.
    package func forgetInvitation(to room: Room) { invitedRooms.remove(room) }
}

/// Views of all rooms.
extension Program {
    /// Waits for the end of a wipe.
    ///
    /// - Returns: the open room; nil if the program leaves instead.
    package func awaitOpen() async -> RoomLabel? { await awaitRoom(nil)?.label }

    /// Delivers the rooms in one turn of the nodes: their later events come behind it.
    ///
    /// - Returns: nil if the program leaves instead.
    @discardableResult
    package func snapshot<Result: Sendable>(_ take: @Sendable ([RoomSnapshot]) -> Result) async -> Result? {
        await awaitRoom(nil) == nil ? nil : take(snapshot)
    }

    /// The peers of each room as its node lists them; their earlier events are delivered before.
    ///
    /// - Returns: nil if the program leaves instead.
    package func people() async -> [(room: RoomLabel, peers: [PeerView])]? {
        guard await awaitRoom(nil) != nil else { return nil }
        return all.map { room in
            room.node.flushEvents()
            return (room.label, room.node.peers())
        }
    }

    /// Delivers the first reports of a tail in a turn of the nodes: their later events come behind them.
    package func beginTail(withHistory: Bool, _ deliver: @Sendable ([RoomReport]) -> Void) async {
        await snapshot { deliver($0.flatMap { $0.tailStart(withHistory: withHistory) }) }
    }

    /// The rooms with their conversations.
    var overview: [RoomOverview] { all.map(overview) }

    private func overview(of room: JoinedRoom) -> RoomOverview {
        let (node, label) = (room.node, room.label)
        let (conversations, requests) = (node.chat.summaries, node.requests())
        // Conversations of earlier runs have had no event.
        for one in conversations.map({ Conversation($0.conversation) }) + requests.map({ .direct($0.who.key) }) {
            _ = recordNumber(of: one, in: label)
        }
        return RoomOverview(
            label, isOpen: label == openLabel, isPrivate: node.configuration.room.isPrivate, isBridged: node.isBridged,
            isEntering: !node.hasEntered, me: node.chat.ownName, online: node.chat.roster.shownOnline,
            conversations: conversations, requests: requests, numbers: numbers[label])
    }

    /// The rooms with all that a face shows of them; their earlier events are delivered before.
    var snapshot: [RoomSnapshot] { all.map(snapshot) }

    /// As above, of one room.
    func snapshot(of room: JoinedRoom) -> RoomSnapshot { RoomSnapshot(of: room.node) { overview(of: room) } }
}

/// `/wipe`: the end of all nodes and of their messages.
extension Program {
    /// The room with a label, or with none the open one; waits for the end of a wipe. Nil if there is none.
    func awaitRoom(_ label: RoomLabel?) async -> JoinedRoom? {
        if isWiping {
            await withCheckedContinuation { caller in if isWiping { waiting.append(caller) } else { caller.resume() } }
        }
        return if let label { self[label] } else { open }
    }

    /// Ends all nodes for good. Returns when they have ended and the pause behind it begins, or when the program leaves instead.
    /// A second call meanwhile waits for the same wipe; in the pause it is the answer again.
    ///
    /// - Parameter isNow: whether there is no pause, or the present one ends.
    /// - Returns: the answer of the command; nil if the program leaves instead.
    @discardableResult
    func wipe(isNow: Bool = false) async -> Answer? {
        if isNow {
            skipsPause = true
            endPause()
        }
        // All in the closure, before which the loop has a turn: a wipe that ends in it is no answer for this caller.
        return await withCheckedContinuation { caller in
            if pause != nil { return caller.resume(returning: wipeAnswer) }
            if !isWiping {
                guard !all.isEmpty else { return caller.resume(returning: nil) }
                beginWipe()
            }
            wipers.append(caller)
        }
    }

    private func beginWipe() {
        isWiping = true
        forgotten = allNodes.reduce(into: MemoryUsage()) { $0 += MemoryUsage(of: $1.chat) }
        for node in allNodes { node.beginLeaving(isWiped: true) }
    }

    /// The whole seconds, at most, until the new identity is there, from the beginning of a wipe to the end of the pause behind
    /// it; nil at other times.
    package var pauseLeft: Int? {
        if let pause { return max(1, Int((pause.end - scheduler.now).nanoseconds / 1_000_000_000)) }
        guard isWiping, !isReturning else { return nil }
        return skipsPause ? 1 : Program.longestPause
    }

    /// The pause behind a wipe, drawn at random, in seconds: an observer sees the program leave, and does not see which of those
    /// that come it is. 0 if the user wants none.
    package func drawPause() -> Int {
        skipsPause ? 0 : Int.random(in: Program.shortestPause...Program.longestPause)
    }

    /// Answers those that asked for the wipe, and waits for the end of the pause: also by the user's wish, and when the program
    /// leaves.
    package func pause(seconds: Int) async {
        for wiper in exchange(&wipers, with: []) { wiper.resume(returning: wipeAnswer) }
        await withCheckedContinuation { waiting in
            guard seconds > 0, !skipsPause else {
                isReturning = true
                return waiting.resume()
            }
            let end = scheduler.now + .seconds(seconds)
            pause = (end, waiting)
            scheduler.schedule(at: end, callback { $0.endPause(dueAt: end) })
        }
    }

    private func endPause(dueAt end: Instant? = nil) {
        guard let pause, end == nil || end == pause.end else { return }
        (self.pause, isReturning) = (nil, true)
        pause.waiting.resume()
    }

    private static let shortestPause = 5
    private static let longestPause = 30

    /// The memory of the ended nodes; nil if they ended for another reason than a wipe.
    package func takeForgotten() -> MemoryUsage? {
        if forgotten != nil {
            (invitedRooms, numbers, lastSaid, privateNames) = (Invitations(), ConversationNumbers(), nil, [])
        }
        return forgotten.take()
    }

    /// Keeps the answer of a wipe for the callers that wait.
    package func recordWipe(_ answer: Answer) { wipeAnswer = answer }

    /// Resumes the callers that wait for the end of a wipe; false if there was none.
    @discardableResult
    package func goOn() -> Bool {
        for wiper in exchange(&wipers, with: []) { wiper.resume(returning: wipeAnswer) }
        for continuation in exchange(&waiting, with: []) { continuation.resume() }
        defer { (isWiping, wipeAnswer, skipsPause, isReturning) = (false, nil, false, false) }
        return isWiping
    }
}

extension Limits {
    /// Rooms of a process, each with a node of its own. More cost descriptors (`links` for each room), names on the
    /// network and memory; with fewer, a user of many rooms needs several processes.
    package static let rooms = 16
}
