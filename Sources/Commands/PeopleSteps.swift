import Chat
import ChatNode
import Phrases
import Wire

/// The steps of commands about people and rooms that more than one node takes part in. Each is in a turn of the nodes.
extension CommandExecutor {
    /// The step of such a command; nil for any other.
    func peopleStep(
        of command: Command, on node: isolated Node, in room: Rooms.Room
    ) throws(ChatError) -> Step? {
        if case .invite(let who, let name) = command {
            let (sender, reply) = try invite(who, to: name, from: room)
            let events = sender.node.assumeIsolated { $0.flushEvents() }
            return Step(room: sender.label, outcome: CommandOutcome(events: events, reply: .answer(reply)))
        }
        if case .announce(let names) = command { return answer(try announce(names, in: room, node), room, node) }
        if case .contact(let who, let given) = command {
            let (reply, stored) = try name(who, given, on: node)
            return answer(reply, room, node, stored)
        }
        if case .uncontact(let who) = command {
            let (reply, stored) = try forget(contact: who, on: node)
            return answer(reply, room, node, stored)
        }
        if command == .blocked { return answer(.blocked(node.blocked()), room, node) }
        return command == .contacts ? answer(try contacts(on: node), room, node) : nil
    }

    /// The user's decision about a peer counts in each room where the user has the same identity.
    func share(_ marks: PeerMarks, from room: Rooms.Room) {
        guard keepsMarks(room.label) else { return }
        for other in rooms.all where other.label != room.label && keepsMarks(other.label) {
            other.node.assumeIsolated { $0.adopt(marks) }
        }
    }

    /// Invites a peer to a room, in a direct conversation of another room: the one of the command if it has the peer,
    /// otherwise the only one that has an accepted conversation with it.
    private func invite(_ who: String, to name: String?, from room: Rooms.Room) throws(ChatError) -> (
        Rooms.Room, Answer
    ) {
        var target = room
        if let name {
            guard let named = rooms.named(name) else { throw ChatError(.unknownRoom, .unknownRoom, name) }
            target = named
        }
        let (sender, peer) = try inviter(of: who, to: target, from: room)
        let invited = target.node.assumeIsolated { $0.ownRoom }
        // The closure can not be asked to throw this error's type.
        let result = sender.node.assumeIsolated { node -> Result<PeerName, ChatError> in
            do throws(ChatError) {
                try node.invite(peer, to: invited)
                return .success(node.who(peer))
            } catch {
                return .failure(error)
            }
        }
        return (sender, .invited(try result.get(), to: target.label.name))
    }

    private func inviter(
        of who: String, to target: Rooms.Room, from room: Rooms.Room
    ) throws(ChatError) -> (Rooms.Room, PeerID) {
        let others = rooms.all.filter { $0.label != target.label }
        var found: [(room: Rooms.Room, peer: PeerID, isAccepted: Bool)] = []
        var failure: ChatError?
        for other in others {
            other.node.assumeIsolated { node in
                do throws(ChatError) {
                    let peer = try node.find(who)
                    found.append((other, peer, node.isAccepted(peer)))
                } catch {
                    if error.code == .ambiguousPeer || failure == nil { failure = error }
                }
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
    private func announce(_ names: [String]?, in room: Rooms.Room, _ node: isolated Node) throws(ChatError) -> Answer {
        let announced = try names.map { names throws(ChatError) in try openRooms(names, besides: room) } ?? []
        node.setProfile(Profile(about: node.profile.about, rooms: announced))
        return .announced(announced)
    }

    private func openRooms(_ names: [String], besides room: Rooms.Room) throws(ChatError) -> [String] {
        var chosen = rooms.all.filter { $0.label != room.label }
        if names.isEmpty {
            chosen = chosen.filter { !$0.node.assumeIsolated { $0.ownRoom.isPrivate } }
        } else {
            chosen = []
            for name in names {
                guard let named = rooms.named(name) else { throw ChatError(.unknownRoom, .unknownRoom, name) }
                guard !named.node.assumeIsolated({ $0.ownRoom.isPrivate }) else {
                    throw ChatError(.invalidRoom, .announcedPrivate, name)
                }
                if !chosen.contains(where: { $0.label == named.label }) { chosen.append(named) }
            }
        }
        guard !chosen.isEmpty else { throw ChatError(.unknownRoom, .nothingToAnnounce) }
        guard chosen.count <= Limits.announcedRooms else {
            throw ChatError(.tooManyRooms, .tooManyAnnounced, "\(chosen.count)", "\(Limits.announcedRooms)")
        }
        let names = chosen.map { $0.node.assumeIsolated { $0.room } }
        let bytes = names.reduce(0) { $0 + $1.utf8.count }
        guard bytes <= Limits.announcedRoomsBytes else {
            throw ChatError(.tooManyRooms, .announcedTooLong, "\(bytes)", "\(Limits.announcedRoomsBytes)")
        }
        return names
    }

    /// Removes a room that is left from the presence of the others.
    func retract(_ left: Rooms.Room) {
        let name = left.node.assumeIsolated { $0.room }
        for room in rooms.all where room.label != left.label {
            room.node.assumeIsolated { node in
                let rooms = node.profile.rooms.filter { $0 != name }
                node.setProfile(Profile(about: node.profile.about, rooms: rooms))
            }
        }
    }

    /// The rooms that the user is in, and those that peers announce and invite to.
    var roomList: RoomList {
        var announced: [String: Int] = [:]
        for room in rooms.all {
            announced.merge(room.node.assumeIsolated { $0.announcedRooms }) { $0 + $1 }
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
        _ who: String, _ name: String?, on node: isolated Node
    ) throws(ChatError) -> (Answer, @Sendable () async -> Void) {
        let (keeper, before) = try kept()
        var contacts = before
        let peer = try node.find(who)
        let known = node.who(peer)
        // A contact is shown with a star in front of its name, so people write one.
        let chosen = name.map { $0.hasPrefix(PeerName.contactMark) && $0.count > 1 ? String($0.dropFirst()) : $0 }
        let own = chosen ?? known.contact ?? known.nickname
        try contacts.name(peer, own, lastHere: rooms(of: peer).isEmpty ? nil : node.wallClock)
        let stored = adopt(contacts, keeper)
        return (.done(command: "contact", node.who(peer)), stored)
    }

    private func forget(
        contact who: String, on node: isolated Node
    ) throws(ChatError) -> (Answer, @Sendable () async -> Void) {
        let (keeper, before) = try kept()
        var contacts = before
        let peer = try node.find(who, among: .contacts)
        guard contacts.remove(peer) else {
            throw ChatError(.unknownPeer, .noSuchContact, node.who(peer).displayName)
        }
        let stored = adopt(contacts, keeper)
        return (.done(command: "uncontact", node.who(peer)), stored)
    }

    private func contacts(on node: isolated Node) throws(ChatError) -> Answer {
        let rows = try kept().1.inOrder.map { contact in
            ContactView(
                node.who(contact.key), lastHere: contact.lastHere, rooms: rooms(of: contact.key),
                isVerified: isVerified(contact.key))
        }
        return .contacts(rows)
    }

    /// The rooms in which a peer is.
    private func rooms(of peer: PeerID) -> [RoomLabel] {
        rooms.all.filter { room in room.node.assumeIsolated { $0.isHere(peer) } }.map(\.label)
    }

    private func isVerified(_ peer: PeerID) -> Bool {
        rooms.all.contains { room in room.node.assumeIsolated { $0.marks.verified.contains(peer) } }
    }

    private func adopt(_ contacts: Contacts, _ keeper: any ContactKeeper) -> @Sendable () async -> Void {
        let names = contacts.names
        for room in rooms.all { room.node.assumeIsolated { $0.setContacts(names) } }
        return keeper.store(contacts)
    }
}
