import Phrases
import Wire
package import Chat
package import ChatNode

/// Performs commands in the rooms of the program, for every face.
package struct CommandExecutor: Sendable {
    /// Submits a change of a room to be stored, in the node's turn; the returned function returns when it is, or can not be.
    /// Nil if no file keeps that room's identity.
    package typealias Store = @Sendable (KeptChange, RoomLabel) -> (@Sendable () async -> Void)?
    /// Starts a node in a room and adds it to the rooms, or finds the room among them.
    package typealias Begin = @Sendable (RoomRequest, RoomLabel, isolated Program) async -> Joining

    /// Tells all faces but the asking one what a command changed that no event tells; for true, the display too. In the nodes'
    /// turn.
    package typealias Told = @Sendable (RoomReport, _ isForDisplay: Bool) -> Void

    /// The result of a request to join a room.
    package enum Joining: Sendable {
        /// The node is ready.
        case ready
        /// The program is in the room already.
        case known(RoomLabel)
        case failed(ChatError)
    }

    package let rooms: Program
    package let departure: Departure
    private let store: Store
    let begin: Begin
    /// Nil if no file keeps an identity.
    let contactKeeper: (any ContactKeeper)?
    private let keepsMarks: @Sendable (RoomLabel) -> Bool
    let counters: @Sendable () -> [Counter]
    /// The link that lets the next page in; nil without a page.
    let pageLink: @Sendable () -> String?
    private let told: Told

    /// - Parameters:
    ///   - begin: starts nodes for `/join`.
    ///   - contacts: keeps the user's own names for peers; nil if no file keeps an identity.
    ///   - keepsMarks: whether marks that are set in a room outlast the program.
    ///   - counters: those of the process, which `/stats` adds to the nodes'.
    ///   - pageLink: the link that `/web` shows.
    package init(
        rooms: Program, departure: Departure, store: @escaping Store, begin: @escaping Begin,
        contacts: (any ContactKeeper)? = nil,
        keepsMarks: @escaping @Sendable (RoomLabel) -> Bool, counters: @escaping @Sendable () -> [Counter],
        pageLink: @escaping @Sendable () -> String? = { nil }, told: @escaping Told = { _, _ in }
    ) {
        self.rooms = rooms
        self.departure = departure
        self.store = store
        self.begin = begin
        contactKeeper = contacts
        self.keepsMarks = keepsMarks
        self.counters = counters
        self.pageLink = pageLink
        self.told = told
    }

    /// Performs a command of the user.
    ///
    /// - Parameters:
    ///   - label: the room; nil for the open one.
    ///   - conversation: the one of the room that counts as open; nil for the one that is.
    ///   - isPaced: whether it waits until it may be sent, instead of being refused when it comes too soon.
    ///   - isTyped: whether a user types the commands: the next text is for the conversation that this one is about.
    ///   - report: takes its answer or error: in the node's own turn, or once its change is stored. A wipe has none: it
    ///     is reported between the last event of the last node and the first of the next one.
    package func obey(
        _ command: Command, in label: RoomLabel? = nil, at conversation: Conversation? = nil, isPaced: Bool,
        isTyped: Bool = false, report: @escaping @Sendable (RoomReport) -> Void
    ) async -> CommandOutcome {
        await obey(command, in: label, at: conversation, isPaced: isPaced, isTyped: isTyped, report, rooms)
    }

    private func obey(
        _ command: Command, in label: RoomLabel?, at conversation: Conversation?, isPaced: Bool, isTyped: Bool,
        _ report: @Sendable (RoomReport) -> Void, _ rooms: isolated Program
    ) async -> CommandOutcome {
        let label = await room(of: command, in: label, rooms)
        let result = await result(
            of: command, in: label, at: conversation, isPaced: isPaced, isTyped: isTyped, isForDisplay: false, rooms
        ) { result in
            if result.stored == nil, !result.isReported, let reply = result.report { report(reply) }
        }
        guard let result else { return .left }
        if let stored = result.stored {
            await stored()
            if let reply = result.report { report(reply) }
        }
        return result.outcome
    }

    /// Performs a command for a client that receives no other events, and paces it.
    ///
    /// - Parameters:
    ///   - label: the room; nil for the one that the view shows, or the open one.
    ///   - conversation: the one of the room that counts as open; nil for the one that the view shows, or the open one.
    ///   - view: the client's, which shows what the command opens; nil for a client that is not connected now.
    /// - Returns: the events of the command, and its answer or error; nil if the node leaves instead.
    package func reports(
        of command: Command, in label: RoomLabel? = nil, at conversation: Conversation? = nil, view: ViewID? = .shared
    ) async -> [RoomReport]? {
        await reports(of: command, in: label, at: conversation, view, rooms)
    }

    private func reports(
        of command: Command, in label: RoomLabel?, at conversation: Conversation?, _ view: ViewID?,
        _ rooms: isolated Program
    ) async -> [RoomReport]? {
        var (label, conversation) = (label, conversation)
        if conversation == nil, let shown = rooms.place(of: view), label == nil || label == shown.room {
            (label, conversation) = shown
        }
        let result = await result(
            of: command, in: label, at: conversation, view, isPaced: true, isForDisplay: true, rooms)
        guard let result else { return nil }
        await result.stored?()
        return result.events.map { RoomReport(result.room, .event($0)) } + [result.report].compactMap(\.self)
    }

    /// Performs a command, and tells the faces what no event tells.
    ///
    /// - Parameter deliver: takes the result in the nodes' turn.
    /// - Returns: nil if the program leaves instead.
    private func result(
        of command: Command, in label: RoomLabel?, at conversation: Conversation? = nil, _ view: ViewID? = .shared,
        isPaced: Bool, isTyped: Bool = false, isForDisplay: Bool, _ rooms: isolated Program,
        _ deliver: (CommandResult) -> Void = { _ in }
    ) async -> CommandResult? {
        // Lines of a pipe are not kept either: the new identity says no text that was meant for the old one, and the lines
        // that end the pause are behind them.
        if let left = rooms.pauseLeft, !command.entry.endsPause {
            let result = CommandResult(away: left, rooms)
            deliver(result)
            return result
        }
        if case .overTurns(let run) = command.entry.action {
            guard let result = await run(command.operands, view, self, rooms) else { return nil }
            tell(result, view, isForDisplay: isForDisplay, rooms)
            deliver(result)
            return result
        }
        return await run(in: label, isPaced ? command.entry.pace : nil, rooms) { room in
            if isForDisplay { room.node.flushEvents() }
            let result = perform(command, at: conversation, in: room, view, isTyped: isTyped, rooms)
            tell(result, view, isForDisplay: isForDisplay, rooms)
            deliver(result)
            return result
        }
    }

    /// The room of a command whose line names none: a request is answered where it was made, if that is one other room.
    ///
    /// - Returns: nil for the open room.
    private func room(
        of command: Command, in label: RoomLabel?, _ rooms: isolated Program
    ) async -> RoomLabel? {
        guard label == nil, rooms.pauseLeft == nil, let who = command.requester, let open = await rooms.awaitRoom(nil)
        else { return label }
        let asked = rooms.all.filter { $0.node.chat.hasRequest(of: who) }
        return asked.count == 1 && asked[0].label != open.label ? asked[0].label : nil
    }

    /// Runs `body` with a room: with no label, the open one, while the rooms are wiped the next one.
    ///
    /// A text that waits for a room is said in no other one: if the room is left or wiped before, the result is an error.
    ///
    /// - Parameter pace: the rate that it waits for; nil if it does not wait.
    /// - Returns: nil if the program leaves instead.
    private func run(
        in label: RoomLabel?, _ pace: Pace?, _ rooms: isolated Program, _ body: (Program.JoinedRoom) -> CommandResult
    ) async -> CommandResult? {
        guard let room = await rooms.awaitRoom(label) else { return await failure(unknown: label, rooms) }
        guard let pace else { return body(room) }
        if await room.node.waitUntilMaySend(pace) { return body(room) }
        if let left = rooms.pauseLeft { return CommandResult(away: left, rooms) }
        if !rooms.isWiping, rooms[room.label] != nil { return nil }
        return await failure(unknown: room.label, rooms)
    }

    /// An error in the open room: the room of a command is not there any more. Nil if no room is.
    private func failure(unknown label: RoomLabel?, _ rooms: isolated Program) async -> CommandResult? {
        guard let label, let open = await rooms.awaitRoom(nil) else { return nil }
        return CommandResult(
            room: open.label, reply: .error(ChatError(.unknownRoom, .unknownRoom, label.name)))
    }
}

extension CommandResult {
    /// The refusal of a command between two identities.
    ///
    /// - Parameter left: seconds until the next one comes, at most.
    fileprivate init(away left: Int, _ rooms: isolated Program) {
        self.init(room: rooms.anyLabel, reply: .error(ChatError(.isAway, .isAway, "\(left)")))
    }
}

/// One command in a turn of the nodes.
extension CommandExecutor {
    private func perform(
        _ command: Command, at conversation: Conversation?, in room: Program.JoinedRoom, _ view: ViewID?,
        isTyped: Bool, _ rooms: isolated Program
    ) -> CommandResult {
        var turn = CommandTurn(
            command, at: conversation, in: room, view: view, isTyped: isTyped, keepsMarks: keepsMarks(room.label))
        var result = turn.result { turn throws(ChatError) in
            switch command.entry.action {
            case .inRoom(let run): try run(&turn)
            case .inProgram(let run): try run(&turn, self, rooms)
            case .overTurns, .inTerminal: nil
            }
        }
        guard result.isDone else { return result }
        if let opening = result.opening {
            result.numbers = rooms.recordNumber(of: Conversation(opening.view), in: result.room)
            look(at: turn.room, opening.view, in: opening.left == nil ? view : .shared, rooms)
        }
        guard let change = turn.change else { return result }
        if case .marks(let marks) = change { share(marks, from: room, rooms) }
        result.stored = store(change, room.label)
        return result
    }

    /// The user's decision about a peer counts in each room where the user has the same identity.
    private func share(_ marks: PeerMarks, from room: Program.JoinedRoom, _ rooms: isolated Program) {
        guard keepsMarks(room.label) else { return }
        for other in rooms.all where other.label != room.label && keepsMarks(other.label) {
            other.node.change(.marks(marks))
        }
    }
}

/// Views of the rooms that several faces have at once.
extension CommandExecutor {
    /// Looks at no conversation of a room until one is opened: their messages count as unread.
    package func lookAway(from label: RoomLabel) async {
        await lookAway(from: label, rooms)
    }

    private func lookAway(from label: RoomLabel, _ rooms: isolated Program) async {
        guard let room = await rooms.awaitRoom(label) else { return }
        room.node.change(.lookAway)
        room.node.flushEvents()
        told(RoomReport(label, .viewed(nil, by: .shared)), true)
    }

    /// Shows a conversation in a view of its own, which moves no other view.
    ///
    /// - Parameter place: nil for none, as for a view that ends.
    package func show(_ place: (room: RoomLabel, conversation: ConversationView)?, in view: ViewID) async {
        await show(place, in: view, rooms)
    }

    private func show(
        _ place: (room: RoomLabel, conversation: ConversationView)?, in view: ViewID, _ rooms: isolated Program
    ) async {
        let place = place.flatMap { rooms[$0.room] == nil ? nil : $0 }
        let before = rooms.show(place.map { Conversation($0.conversation) }, of: place?.room, in: view)
        guard let room = place?.room ?? before else { return }
        let numbers = place.flatMap { rooms.recordNumber(of: Conversation($0.conversation), in: $0.room) }
        told(RoomReport(room, .viewed(place?.conversation, by: view), numbers: numbers), true)
    }

    /// Looks at a conversation that a command opened: in the shared view, at its room.
    ///
    /// - Parameter view: nil for none.
    func look(
        at room: Program.JoinedRoom, _ conversation: ConversationView, in view: ViewID?, _ rooms: isolated Program
    ) {
        guard let view else { return }
        guard view != .shared else { return rooms.look(at: room) }
        _ = rooms.show(Conversation(conversation), of: room.label, in: view)
    }

    /// Tells the faces, in the node's turn, which conversation a command opened, and what it changed that no event tells.
    private func tell(_ result: CommandResult, _ view: ViewID?, isForDisplay: Bool, _ rooms: isolated Program) {
        if let opening = result.opening {
            if let left = opening.left { told(RoomReport(left, .leaving), isForDisplay) }
            // A room that is left may have been the open one.
            if view == .shared || opening.left != nil {
                if let recent = opening.recent {
                    let opened = Report.opened(opening.view, recent: recent)
                    told(RoomReport(result.room, opened, numbers: result.numbers), isForDisplay)
                }
            } else if let view {
                told(RoomReport(result.room, .viewed(opening.view, by: view), numbers: result.numbers), true)
            }
        }
        let changed =
            switch result.scope {
            case .events: [Program.JoinedRoom]()
            case .room: [rooms[result.room]].compactMap(\.self)
            case .rooms: rooms.all
            }
        for room in changed { told(RoomReport(room.label, .snapshot(rooms.snapshot(of: room))), true) }
    }
}
