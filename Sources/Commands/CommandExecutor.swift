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
    private let begin: Begin
    /// Nil if no file keeps an identity.
    private let contactKeeper: (any ContactKeeper)?
    private let keepsMarks: @Sendable (RoomLabel) -> Bool
    private let counters: @Sendable () -> [Counter]
    private let told: Told

    /// - Parameters:
    ///   - begin: starts nodes for `/join`.
    ///   - contacts: keeps the user's own names for peers; nil if no file keeps an identity.
    ///   - keepsMarks: whether marks that are set in a room outlast the program.
    ///   - counters: those of the process, which `/stats` adds to the nodes'.
    package init(
        rooms: Program, departure: Departure, store: @escaping Store, begin: @escaping Begin,
        contacts: (any ContactKeeper)? = nil,
        keepsMarks: @escaping @Sendable (RoomLabel) -> Bool, counters: @escaping @Sendable () -> [Counter],
        told: @escaping Told = { _, _ in }
    ) {
        self.rooms = rooms
        self.departure = departure
        self.store = store
        self.begin = begin
        contactKeeper = contacts
        self.keepsMarks = keepsMarks
        self.counters = counters
        self.told = told
    }

    /// Performs a command of the user.
    ///
    /// - Parameters:
    ///   - label: the room; nil for the open one.
    ///   - isPaced: whether it waits until it may be sent, instead of being refused when it comes too soon.
    ///   - report: takes its answer or error: in the node's own turn, or once its change is stored. A wipe has none: it
    ///     is reported between the last event of the last node and the first of the next one.
    /// - Returns: whether it was done.
    package func obey(
        _ command: Command, in label: RoomLabel? = nil, isPaced: Bool,
        report: @escaping @Sendable (RoomReport) -> Void
    ) async -> Bool {
        await obey(command, in: label, isPaced: isPaced, report, rooms)
    }

    private func obey(
        _ command: Command, in label: RoomLabel?, isPaced: Bool, _ report: @Sendable (RoomReport) -> Void,
        _ rooms: isolated Program
    ) async -> Bool {
        if command == .quit {
            departure.record(.asked)
            rooms.beginLeaving()
            return true
        }
        if command == .wipe {
            await rooms.wipe()
            return true
        }
        if let request = CommandExecutor.request(of: command) {
            guard let result = await join(request, isNew: command.makesRoom, rooms) else { return false }
            tell(result, isForDisplay: false, rooms)
            if let reply = result.report { report(reply) }
            return result.isDone
        }
        let label = await room(of: command, in: label, rooms)
        let result = await run(in: label, isPaced: isPaced && command.isPaced, rooms) { room in
            let result = perform(command, in: room, rooms)
            tell(result, isForDisplay: false, rooms)
            if result.stored == nil, let reply = result.report { report(reply) }
            return result
        }
        guard let result else { return false }
        if let stored = result.stored {
            await stored()
            if let reply = result.report { report(reply) }
        }
        return result.isDone
    }

    /// Performs a command for a client that receives no other events, and paces it.
    ///
    /// - Parameters:
    ///   - label: the room; nil for the open one.
    ///   - conversation: the one of the room that counts as open, as a client shows it; nil for the one that is.
    /// - Returns: the events of the command, and its answer or error; nil if the node leaves instead.
    package func reports(
        of command: Command, in label: RoomLabel? = nil, at conversation: Conversation? = nil
    ) async -> [RoomReport]? {
        await reports(of: command, in: label, at: conversation, rooms)
    }

    private func reports(
        of command: Command, in label: RoomLabel?, at conversation: Conversation?, _ rooms: isolated Program
    ) async -> [RoomReport]? {
        if command == .quit {
            departure.record(.asked)
            rooms.beginLeaving()
            return []
        }
        if command == .wipe {
            guard let answer = await rooms.wipe(), let open = rooms.open else { return [] }
            return [RoomReport(open.label, .answer(answer))]
        }
        let result: CommandResult?
        if let request = CommandExecutor.request(of: command) {
            result = await join(request, isNew: command.makesRoom, rooms)
            if let result { tell(result, isForDisplay: true, rooms) }
        } else {
            result = await run(in: label, isPaced: command.isPaced, rooms) { room in
                room.node.flushEvents()
                let result = perform(command, at: conversation, in: room, rooms)
                tell(result, isForDisplay: true, rooms)
                return result
            }
        }
        guard let result else { return nil }
        await result.stored?()
        return result.events.map { RoomReport(result.room, .event($0)) } + [result.report].compactMap(\.self)
    }

    /// The room of a command whose line names none: a request is answered where it was made, if that is one other room.
    ///
    /// - Returns: nil for the open room.
    private func room(
        of command: Command, in label: RoomLabel?, _ rooms: isolated Program
    ) async -> RoomLabel? {
        guard label == nil, let who = command.requester, let open = await rooms.awaitRoom(nil) else { return label }
        let asked = rooms.all.filter { $0.node.chat.hasRequest(of: who) }
        return asked.count == 1 && asked[0].label != open.label ? asked[0].label : nil
    }

    /// Runs `body` with a room: with no label, the open one, while the rooms are wiped the next one.
    ///
    /// A text that waits for a room is said in no other one: if the room is left or wiped before, the result is an error.
    ///
    /// - Returns: nil if the program leaves instead.
    private func run(
        in label: RoomLabel?, isPaced: Bool, _ rooms: isolated Program, _ body: (Program.Room) -> CommandResult
    ) async -> CommandResult? {
        guard let room = await rooms.awaitRoom(label) else { return await failure(unknown: label, rooms) }
        if !isPaced { return body(room) }
        if await room.node.waitUntilMaySend() { return body(room) }
        if !rooms.isWiping, rooms[room.label] != nil { return nil }
        return await failure(unknown: room.label, rooms)
    }

    /// An error in the open room: the room of a command is not there any more. Nil if no room is.
    private func failure(unknown label: RoomLabel?, _ rooms: isolated Program) async -> CommandResult? {
        guard let label, let open = await rooms.awaitRoom(nil) else { return nil }
        return CommandResult(
            room: open.label, events: [], reply: .error(ChatError(.unknownRoom, .unknownRoom, label.name)))
    }
}

/// Commands, each performed in a turn of the nodes.
extension CommandExecutor {
    private func perform(
        _ command: Command, at conversation: Conversation? = nil, in room: Program.Room, _ rooms: isolated Program
    ) -> CommandResult {
        do throws(ChatError) {
            if case .open(let name) = command, let other = rooms.named(name) { return open(other, rooms) }
            if case .openRoom(let name) = command {
                guard let other = rooms.named(name) else { throw ChatError(.unknownRoom, .unknownRoom, name) }
                return open(other, rooms)
            }
            if case .part(let name) = command, let result = try part(name, at: conversation, in: room, rooms) {
                return result
            }
            if command == .rooms { return answer(.rooms(roomList(rooms)), room) }
            if let result = try performAcrossRooms(command, in: room, rooms) { return result }
            if command == .unread { return answer(.unread(rooms.overview), room) }
            if command == .statistics { return answer(.statistics(statistics(rooms)), room) }
        } catch {
            return CommandResult(room: room.label, events: room.node.flushEvents(), reply: .error(error))
        }
        // `/part` is here only to close a direct conversation.
        let isPart = if case .part = command { true } else { false }
        var result = (isPart ? .close : command).perform(at: conversation, in: room)
        if result.isDone, command.opensConversation { rooms.look(at: room) }
        result.reply = result.reply.map { complete($0, in: room.label) }
        if case .marks(let marks) = result.change { share(marks, from: room, rooms) }
        result.stored = result.change.flatMap { store($0, room.label) }
        return result
    }

    private func answer(
        _ answer: Answer, _ room: Program.Room, _ stored: (@Sendable () async -> Void)? = nil
    ) -> CommandResult {
        CommandResult(room: room.label, events: room.node.flushEvents(), reply: .answer(answer), stored: stored)
    }

    /// The room that a command enters; nil for other commands.
    private static func request(of command: Command) -> RoomRequest? {
        if case .join(let request) = command { return request }
        guard case .makeRoom(let name) = command else { return nil }
        return RoomRequest(name: name, key: RoomKey.makeText())
    }

    /// Opens the conversation of a room.
    private func open(_ room: Program.Room, as name: String = "open", _ rooms: isolated Program) -> CommandResult {
        open(room, rooms) { .active(command: name, .publicRoom, recent: $0) }
    }

    /// - Parameter answer: makes the answer from the stored messages.
    private func open(
        _ room: Program.Room, _ rooms: isolated Program, _ answer: ([MessageView]) -> Answer
    ) -> CommandResult {
        rooms.look(at: room)
        room.node.change(.open(.publicRoom))
        return self.answer(answer(room.node.chat.messages(in: .publicRoom)), room)
    }

    private func join(_ request: RoomRequest, isNew: Bool, _ rooms: isolated Program) async -> CommandResult? {
        var label: RoomLabel
        do throws(ChatError) {
            if let room = present(request, rooms) { return open(room, as: "join", rooms) }
            label = try rooms.reserve(request.name)
            switch await begin(request, label, rooms) {
            case .ready: break
            case .known(let other):
                rooms.remove(label)
                label = other
            case .failed(let error):
                rooms.remove(label)
                throw error
            }
        } catch {
            guard let open = rooms.open else { return nil }
            return CommandResult(room: open.label, events: [], reply: .error(error))
        }
        guard let room = rooms[label] else { return nil }
        guard let key = request.key else { return open(room, as: "join", rooms) }
        return open(room, rooms) { isNew ? .made(key: key) : .joined(recent: $0) }
    }

    /// The room of a request, if the program is in it and no invitation leads to another one of that name.
    private func present(_ request: RoomRequest, _ rooms: isolated Program) -> Program.Room? {
        guard request.key == nil else { return nil }
        if request.isOpen || rooms.invitation(to: request.name) != nil { return nil }
        return rooms.named(request.name)
    }

    /// Begins to leave a room; nil if the open direct conversation of this one is to be closed instead.
    private func part(
        _ name: String?, at conversation: Conversation?, in room: Program.Room, _ rooms: isolated Program
    ) throws(ChatError) -> CommandResult? {
        var left = room
        if let name {
            guard let named = rooms.named(name) else { throw ChatError(.unknownRoom, .unknownRoom, name) }
            left = named
        } else if case .direct = conversation ?? Conversation(room.node.chat.activeView) {
            return nil
        }
        guard rooms.all.count > 1 else { throw ChatError(.onlyRoom, .onlyRoom, left.label.name) }
        retract(left, rooms)
        let wasOpen = rooms.open?.label == left.label
        rooms.leave(left.label)
        guard let open = rooms.open else { throw ChatError(.onlyRoom, .onlyRoom, left.label.name) }
        if wasOpen { open.node.change(.open(.publicRoom)) }
        let recent = wasOpen ? open.node.chat.messages(in: .publicRoom) : []
        let result = answer(.parted(left.label, open.node.chat.activeView, recent: recent), open)
        left.node.beginLeaving()
        return result
    }

    /// The counters of all nodes, summed up, and those of the process.
    private func statistics(_ rooms: isolated Program) -> [Counter] {
        Counter.sums(rooms.all.map { $0.node.statistics() }) + counters()
    }

    private func complete(_ report: Report, in room: RoomLabel) -> Report {
        guard case .answer(.verification(let who, let code, let isVerified, isKept: _)) = report else { return report }
        return .answer(.verification(who, code: code, isVerified: isVerified, isKept: keepsMarks(room)))
    }
}

extension Command {
    fileprivate var makesRoom: Bool {
        if case .makeRoom = self { return true }
        return false
    }

    /// Whether another conversation is open afterwards.
    fileprivate var opensConversation: Bool {
        if case .open = self { return true }
        if case .openDirect = self { return true }
        if case .part = self { return true }
        return self == .openPublic || self == .close
    }
}

/// Commands about people and rooms that more than one node takes part in.
extension CommandExecutor {
    /// Performs such a command; nil for any other.
    private func performAcrossRooms(
        _ command: Command, in room: Program.Room, _ rooms: isolated Program
    ) throws(ChatError) -> CommandResult? {
        if case .invite(let who, let name) = command { return try invite(who, to: name, from: room, rooms) }
        if case .announce(let names) = command { return answer(try announce(names, in: room, rooms), room) }
        if case .contact(let who, let given) = command {
            let (reply, stored) = try name(who, given, on: room.node, rooms)
            return answer(reply, room, stored)
        }
        if case .uncontact(let who) = command {
            let (reply, stored) = try forget(contact: who, on: room.node, rooms)
            return answer(reply, room, stored)
        }
        if command == .blocked { return answer(.blocked(room.node.chat.roster.blocked), room) }
        return command == .contacts ? answer(try contacts(on: room.node, rooms), room) : nil
    }

    /// The user's decision about a peer counts in each room where the user has the same identity.
    private func share(_ marks: PeerMarks, from room: Program.Room, _ rooms: isolated Program) {
        guard keepsMarks(room.label) else { return }
        for other in rooms.all where other.label != room.label && keepsMarks(other.label) {
            other.node.change(.marks(marks))
        }
    }

    /// Invites a peer to a room, in a direct conversation of another room: the one of the command if it has the peer,
    /// otherwise the only one that has an accepted conversation with it.
    private func invite(
        _ who: String, to name: String?, from room: Program.Room, _ rooms: isolated Program
    ) throws(ChatError) -> CommandResult {
        var target = room
        if let name {
            guard let named = rooms.named(name) else { throw ChatError(.unknownRoom, .unknownRoom, name) }
            target = named
        }
        let (sender, peer) = try inviter(of: who, to: target, from: room, rooms)
        try sender.node.perform(.invite(peer, to: target.node.configuration.room))
        return answer(.invited(sender.node.chat.name(of: peer), to: target.label.name), sender)
    }

    private func inviter(
        of who: String, to target: Program.Room, from room: Program.Room, _ rooms: isolated Program
    ) throws(ChatError) -> (Program.Room, PeerID) {
        let others = rooms.all.filter { $0.label != target.label }
        var found: [(room: Program.Room, peer: PeerID, isAccepted: Bool)] = []
        var failure: ChatError?
        for other in others {
            do throws(ChatError) {
                let peer = try other.node.chat.find(who)
                found.append((other, peer, other.node.chat.isAccepted(peer)))
            } catch {
                if error.code == .ambiguousPeer || failure == nil { failure = error }
            }
        }
        if let own = found.first(where: { $0.room.label == room.label }) { return (own.room, own.peer) }
        let accepted = found.filter(\.isAccepted)
        guard accepted.count < 2 else {
            let names = accepted.map { "@\($0.room.label.name)" }.joined(separator: ", ")
            throw ChatError(.ambiguousPeer, .ambiguousInvitation, who, names)
        }
        if let one = accepted.first ?? found.first { return (one.room, one.peer) }
        if let failure { throw failure }
        throw ChatError(.unknownRoom, .inviteElsewhere, target.label.name)
    }

    /// Says in the presence of a room which other open rooms the user is in.
    ///
    /// - Parameter names: empty for all of them, nil for none.
    private func announce(
        _ names: [String]?, in room: Program.Room, _ rooms: isolated Program
    ) throws(ChatError) -> Answer {
        var announced: [String] = []
        if let names { announced = try openRooms(names, besides: room, rooms) }
        let node = room.node
        node.change(.profile(Profile(about: node.chat.session.profile.about, rooms: announced)))
        return .announced(announced)
    }

    private func openRooms(
        _ names: [String], besides room: Program.Room, _ rooms: isolated Program
    ) throws(ChatError) -> [String] {
        var chosen = rooms.all.filter { $0.label != room.label }
        if names.isEmpty {
            chosen = chosen.filter { !$0.node.configuration.room.isPrivate }
        } else {
            chosen = []
            for name in names {
                guard let named = rooms.named(name) else { throw ChatError(.unknownRoom, .unknownRoom, name) }
                guard !named.node.configuration.room.isPrivate else {
                    throw ChatError(.invalidRoom, .announcedPrivate, name)
                }
                if !chosen.contains(where: { $0.label == named.label }) { chosen.append(named) }
            }
        }
        guard !chosen.isEmpty else { throw ChatError(.unknownRoom, .nothingToAnnounce) }
        guard chosen.count <= Limits.announcedRooms else {
            throw ChatError(.tooManyRooms, .tooManyAnnounced, "\(chosen.count)", "\(Limits.announcedRooms)")
        }
        let names = chosen.map { $0.node.configuration.room.name }
        let bytes = names.reduce(0) { $0 + $1.utf8.count }
        guard bytes <= Limits.announcedRoomsBytes else {
            throw ChatError(.tooManyRooms, .announcedTooLong, "\(bytes)", "\(Limits.announcedRoomsBytes)")
        }
        return names
    }

    /// Removes a room that is left from the presence of the others.
    private func retract(_ left: Program.Room, _ rooms: isolated Program) {
        for room in rooms.all where room.label != left.label {
            let profile = room.node.chat.session.profile
            let announced = profile.rooms.filter { $0 != left.node.configuration.room.name }
            room.node.change(.profile(Profile(about: profile.about, rooms: announced)))
        }
    }

    /// The rooms that the user is in, and those that peers announce and invite to.
    private func roomList(_ rooms: isolated Program) -> RoomList {
        var announced: [String: Int] = [:]
        for room in rooms.all {
            announced.merge(room.node.chat.roster.announcedRooms) { $0 + $1 }
        }
        return RoomList(rooms.overview, announced: announced, invitations: rooms.invitations)
    }
}

/// Contacts.
extension CommandExecutor {
    private func kept() throws(ChatError) -> (any ContactKeeper, Contacts) {
        guard let contactKeeper, let contacts = contactKeeper.contacts else {
            throw ChatError(.noIdentity, .contactsNeedIdentity)
        }
        return (contactKeeper, contacts)
    }

    /// Names a peer; every room shows it by that name from now on.
    private func name(
        _ who: String, _ name: String?, on node: Node, _ rooms: isolated Program
    ) throws(ChatError) -> (Answer, @Sendable () async -> Void) {
        let (keeper, before) = try kept()
        var contacts = before
        let peer = try node.chat.find(who)
        let known = node.chat.name(of: peer)
        // A contact is shown with a star in front of its name, so people write one.
        let chosen = name.map { $0.hasPrefix(PeerName.contactMark) && $0.count > 1 ? String($0.dropFirst()) : $0 }
        let own = chosen ?? known.contact ?? known.nickname
        try contacts.name(peer, own, lastHere: labels(of: peer, rooms).isEmpty ? nil : node.wallClock)
        let stored = adopt(contacts, keeper, rooms)
        return (.done(command: "contact", node.chat.name(of: peer)), stored)
    }

    private func forget(
        contact who: String, on node: Node, _ rooms: isolated Program
    ) throws(ChatError) -> (Answer, @Sendable () async -> Void) {
        let (keeper, before) = try kept()
        var contacts = before
        let peer = try node.chat.find(who, among: .contacts)
        guard contacts.remove(peer) else {
            throw ChatError(.unknownPeer, .noSuchContact, node.chat.name(of: peer).displayName)
        }
        let stored = adopt(contacts, keeper, rooms)
        return (.done(command: "uncontact", node.chat.name(of: peer)), stored)
    }

    private func contacts(on node: Node, _ rooms: isolated Program) throws(ChatError) -> Answer {
        let rows = try kept().1.inOrder.map { contact in
            ContactView(
                node.chat.name(of: contact.key), lastHere: contact.lastHere, rooms: labels(of: contact.key, rooms),
                isVerified: rooms.all.contains { $0.node.chat.roster.marks.verified.contains(contact.key) })
        }
        return .contacts(rows)
    }

    /// The rooms in which a peer is.
    private func labels(of peer: PeerID, _ rooms: isolated Program) -> [RoomLabel] {
        rooms.all.filter { $0.node.chat.roster.isHere(peer) }.map(\.label)
    }

    private func adopt(
        _ contacts: Contacts, _ keeper: any ContactKeeper, _ rooms: isolated Program
    ) -> @Sendable () async -> Void {
        let names = contacts.names
        for room in rooms.all { room.node.change(.contacts(names)) }
        return keeper.store(contacts)
    }
}

/// Views of the rooms that several faces have at once.
extension CommandExecutor {
    /// Delivers the first reports of a tail in a turn of the nodes: their later events come behind them.
    package func beginTail(withHistory: Bool, _ deliver: @Sendable ([RoomReport]) -> Void) async {
        await beginTail(withHistory: withHistory, deliver, rooms)
    }

    private func beginTail(
        withHistory: Bool, _ deliver: @Sendable ([RoomReport]) -> Void, _ rooms: isolated Program
    ) async {
        guard await rooms.awaitRoom(nil) != nil else { return }
        deliver(rooms.snapshot.flatMap { $0.tailStart(withHistory: withHistory) })
    }

    /// Looks at no conversation of a room until one is opened: their messages count as unread.
    package func lookAway(from label: RoomLabel) async {
        await lookAway(from: label, rooms)
    }

    private func lookAway(from label: RoomLabel, _ rooms: isolated Program) async {
        guard let room = await rooms.awaitRoom(label) else { return }
        room.node.change(.lookAway)
        told(RoomReport(label, .viewed(nil, by: .shared)), true)
    }

    /// Tells the faces, in the node's turn, what a command changed that no event tells.
    private func tell(_ result: CommandResult, isForDisplay: Bool, _ rooms: isolated Program) {
        tellOpening(by: result, isForDisplay: isForDisplay)
        let changed =
            switch result.scope {
            case .events: [Program.Room]()
            case .room: [rooms[result.room]].compactMap(\.self)
            case .rooms: rooms.all
            }
        for room in changed { told(RoomReport(room.label, .snapshot(rooms.snapshot(of: room))), true) }
    }

    /// Tells the other faces of a conversation that a command opened.
    private func tellOpening(by result: CommandResult, isForDisplay: Bool) {
        guard case .answer(let answer) = result.reply else { return }
        switch answer {
        case .active(_, let view, let recent):
            told(RoomReport(result.room, .opened(view, recent: recent)), isForDisplay)
        case .joined(let recent): told(RoomReport(result.room, .opened(.publicRoom, recent: recent)), isForDisplay)
        case .made: told(RoomReport(result.room, .opened(.publicRoom, recent: [])), isForDisplay)
        case .parted(let left, let view, let recent):
            told(RoomReport(left, .leaving), isForDisplay)
            told(RoomReport(result.room, .opened(view, recent: recent)), isForDisplay)
        case .peers, .requests, .history, .found, .unread, .rooms, .invited, .announced, .contacts, .blocked,
            .statistics, .help,
            .whoami, .bridge, .person, .verification, .wiped, .done:
            break
        }
    }

    /// Delivers the rooms in one turn of the nodes: their later events come behind it.
    ///
    /// - Returns: nil if the program leaves instead.
    package func snapshot<Result: Sendable>(_ take: @Sendable ([RoomSnapshot]) -> Result) async -> Result? {
        await snapshot(take, rooms)
    }

    private func snapshot<Result: Sendable>(
        _ take: @Sendable ([RoomSnapshot]) -> Result, _ rooms: isolated Program
    ) async -> Result? {
        await rooms.awaitRoom(nil) == nil ? nil : take(rooms.snapshot)
    }
}
