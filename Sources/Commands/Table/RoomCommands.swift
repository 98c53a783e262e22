package import Chat
import ChatNode
import Phrases
import Wire

/// Commands that enter and leave rooms, and tell of them.
extension CommandEntry {
    static let rooms: [CommandEntry] = [
        CommandEntry(
            "join", [.room, .key, .ending("--open", "open"), .ending("--as me", "asKept")], .view,
            Phrase(
                "enter another room, with a fresh identity; a name with spaces in quotation marks",
                "새 신원으로 다른 방에 들어갑니다. 빈칸이 있는 이름은 따옴표로 묶습니다"),
            replacesView: true, opensConversation: true,
            .overTurns { operands, view, desk, rooms in
                let request = RoomRequest(
                    name: operands["room"] ?? "", key: operands["key"], isAsKept: operands.flag("asKept") ?? false,
                    isOpen: operands.flag("open") ?? false)
                return await desk.join(request, view, rooms) {
                    .joined(recent: $0, isPrivate: $1, key: request.key)
                }
            }),
        CommandEntry(
            "room", [.new, .newRoom], .view, Phrase("make a private room with a new key", "새 키로 비공개 방을 만듭니다"),
            replacesView: true, opensConversation: true,
            .overTurns { operands, view, desk, rooms in
                let key = RoomKey.makeText()
                let request = RoomRequest(name: operands["room"] ?? "", key: key, isNew: true)
                return await desk.join(request, view, rooms) { recent, _ in
                    Answer("room", Opening(.publicRoom, recent: recent, .made(key: key)))
                }
            }),
        CommandEntry(
            "part", [.ownRoom], .view,
            Phrase(
                "leave this room, or ROOM; closes an open direct conversation", "이 방이나 ROOM에서 나갑니다. 열린 일대일 대화는 닫습니다"),
            replacesView: true, opensConversation: true,
            .inProgram { turn, _, rooms throws(ChatError) in try turn.part(rooms) }),
        CommandEntry(
            "announce", [.rooms], .view,
            Phrase(
                "show the people here which other open rooms you are in, or those named; off: none",
                "다른 열린 방에 있음을 여기에 알립니다. off: 알리지 않음"),
            .inProgram { turn, _, rooms throws(ChatError) in
                let announced =
                    try turn.operands.flag("off") ?? false
                    ? [] : rooms.openRooms(turn.operands.list("rooms") ?? [], besides: turn.room)
                let about = turn.node.chat.session.profile.about
                turn.node.change(.profile(Profile(about: about, rooms: announced)))
                return .announced(announced)
            }),
        CommandEntry(
            "rooms", [], .view,
            Phrase("your rooms, the rooms that others announce, and invitations", "들어와 있는 방, 알려진 방, 초대"),
            .inProgram { _, _, rooms in
                var announced: [String: Int] = [:]
                for room in rooms.all { announced.merge(room.node.chat.roster.announcedRooms) { $0 + $1 } }
                return .rooms(RoomList(rooms.overview, announced: announced, invitations: rooms.invitations))
            }),
        CommandEntry(
            "invite", [.who, .ownRoom], .view,
            Phrase(
                "give WHO, in an accepted conversation, name and key of this room or ROOM",
                "수락된 대화의 WHO에게 이 방 또는 ROOM의 이름과 키를 보냅니다"),
            pace: .messages(1),
            .inProgram { turn, _, rooms throws(ChatError) in try turn.invite(rooms) }),
    ]
}

extension CommandTurn {
    /// Begins to leave a room; closes the open direct conversation of this one instead, if there is one.
    fileprivate mutating func part(_ rooms: isolated Program) throws(ChatError) -> Answer {
        var left = room
        if let name = operands["room"] {
            left = try rooms.existing(name)
        } else if case .direct = conversation {
            return open(.publicRoom, by: "close")
        }
        guard rooms.all.count > 1 else { throw ChatError(.onlyRoom, .onlyRoom, left.label.name) }
        rooms.retract(left)
        let wasOpen = rooms.open?.label == left.label
        rooms.leave(left.label)
        guard let open = rooms.open else { throw ChatError(.onlyRoom, .onlyRoom, left.label.name) }
        room = open
        if wasOpen { open.node.change(.open(.publicRoom)) }
        let recent = wasOpen ? open.node.chat.messages(in: .publicRoom) : nil
        left.node.beginLeaving()
        return .parted(left.label, open.node.chat.activeView, recent: recent)
    }

    /// Invites a peer to a room, in a direct conversation of another room: the one of the command if it has the peer,
    /// otherwise the only one that has an accepted conversation with it.
    fileprivate mutating func invite(_ rooms: isolated Program) throws(ChatError) -> Answer {
        var target = room
        if let name = operands["room"] { target = try rooms.existing(name) }
        let (sender, peer) = try inviter(to: target, rooms)
        try sender.node.perform(.invite(peer, to: target.node.configuration.room))
        room = sender
        return .invited(sender.node.chat.name(of: peer), to: target.label.name)
    }

    private func inviter(
        to target: Program.JoinedRoom, _ rooms: isolated Program
    ) throws(ChatError) -> (Program.JoinedRoom, PeerID) {
        let others = rooms.all.filter { $0.label != target.label }
        var found: [(room: Program.JoinedRoom, peer: PeerID, isAccepted: Bool)] = []
        var failure: ChatError?
        for other in others {
            do throws(ChatError) {
                let peer = try other.node.chat.find(operands.who)
                found.append((other, peer, other.node.chat.isAccepted(peer)))
            } catch {
                if error.code == .ambiguousPeer || failure == nil { failure = error }
            }
        }
        if let own = found.first(where: { $0.room.label == room.label }) { return (own.room, own.peer) }
        let accepted = found.filter(\.isAccepted)
        guard accepted.count < 2 else {
            let names = accepted.map { "@\($0.room.label.name)" }.joined(separator: ", ")
            throw ChatError(.ambiguousPeer, .ambiguousInvitation, operands.who, names)
        }
        if let one = accepted.first ?? found.first { return (one.room, one.peer) }
        if let failure { throw failure }
        throw ChatError(.unknownRoom, .inviteElsewhere, target.label.name)
    }
}

extension Program {
    /// The room of a name that the user gives.
    fileprivate func existing(_ name: String) throws(ChatError) -> JoinedRoom {
        guard let room = named(name) else { throw ChatError(.unknownRoom, .unknownRoom, name) }
        return room
    }

    /// The names of the open rooms that a presence is to name.
    ///
    /// - Parameter names: empty for all of them.
    fileprivate func openRooms(_ names: [String], besides room: JoinedRoom) throws(ChatError) -> [String] {
        var chosen = all.filter { $0.label != room.label }
        if names.isEmpty {
            chosen = chosen.filter { !$0.node.configuration.room.isPrivate }
        } else {
            chosen = []
            for name in names {
                let named = try existing(name)
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
    fileprivate func retract(_ left: JoinedRoom) {
        for room in all where room.label != left.label {
            let profile = room.node.chat.session.profile
            let announced = profile.rooms.filter { $0 != left.node.configuration.room.name }
            room.node.change(.profile(Profile(about: profile.about, rooms: announced)))
        }
    }

    /// The room of a request, if the program is in it and no invitation leads to another one of that name.
    fileprivate func present(_ request: RoomRequest) -> JoinedRoom? {
        guard request.key == nil, !request.isOpen, invitation(to: request.name) == nil else { return nil }
        return named(request.name)
    }
}

extension CommandExecutor {
    /// Enters a room, and opens its conversation.
    ///
    /// - Parameters:
    ///   - view: where it is opened.
    ///   - answer: makes the answer from the stored messages, and whether the room is private.
    /// - Returns: nil if the program leaves instead.
    fileprivate func join(
        _ request: RoomRequest, _ view: ViewID?, _ rooms: isolated Program, _ answer: ([MessageView], Bool) -> Answer
    ) async -> CommandResult? {
        do throws(ChatError) {
            guard let room = try await entered(request, rooms) else { return nil }
            look(at: room, .publicRoom, in: view, rooms)
            if view == .shared { room.node.change(.open(.publicRoom)) }
            let isPrivate = room.node.configuration.room.isPrivate
            let answer = answer(room.node.chat.messages(in: .publicRoom), isPrivate)
            return CommandResult(
                room: room.label, events: room.node.flushEvents(), reply: .answer(answer), changes: .room)
        } catch {
            return rooms.openLabel.map { CommandResult(room: $0, reply: .error(error)) }
        }
    }

    private func entered(
        _ request: RoomRequest, _ rooms: isolated Program
    ) async throws(ChatError) -> Program.JoinedRoom? {
        if let room = rooms.present(request) { return room }
        // A private text is not to be said in the open room of that name.
        if request.key == nil, !request.isOpen, rooms.invitation(to: request.name) == nil,
            rooms.wasPrivate(request.name)
        {
            throw ChatError(.invalidKey, .roomWasPrivate, request.name)
        }
        let label = try rooms.reserve(request.name)
        switch await begin(request, label, rooms) {
        case .ready: return rooms[label]
        case .known(let other):
            rooms.remove(label)
            return rooms[other]
        case .failed(let error):
            rooms.remove(label)
            throw error
        }
    }
}

extension Answer {
    /// The invited peer and the name of the room.
    package static func invited(_ who: PeerName, to room: String) -> Answer {
        Answer(
            "invite",
            Sentences(Sentence(.invited, who.displayName, DisplayGuard.safe(room))) {
                $0.member("with", who)
                $0.member("to", room)
            })
    }

    /// The rooms that the presence names now.
    package static func announced(_ rooms: [String]) -> Answer {
        let names = rooms.map(DisplayGuard.safe).joined(separator: ", ")
        return Answer(
            "announce",
            Sentences(rooms.isEmpty ? Sentence(.announcesNothing) : Sentence(.announces, names)) {
                $0.member("rooms", rooms)
            })
    }
}
