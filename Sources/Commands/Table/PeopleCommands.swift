package import Chat
import ChatNode
import Phrases
package import Wire

/// Commands about peers.
extension CommandEntry {
    static let people: [CommandEntry] = [
        who,
        CommandEntry(
            "contacts", [], .people, Phrase("your contacts, and when they were last here", "연락처와 마지막으로 본 때"),
            .inProgram { turn, desk, rooms throws(ChatError) in .contacts(try desk.rows(on: turn.node, rooms)) }),
        CommandEntry(
            "whois", [.who], .people, Phrase("WHO's state, key and code to compare", "WHO의 상태와 키, 비교할 코드"),
            .inRoom { turn throws(ChatError) in
                let peer = try turn.peer()
                guard let view = turn.node.person(peer) else {
                    throw ChatError(.unknownPeer, .noSuchPeer, turn.node.chat.name(of: peer).displayName)
                }
                return Answer("whois", PeerCard(peer: view, code: turn.code(of: peer)))
            }),
        mark(
            "mute", .all, Phrase("hide what WHO says", "WHO의 메시지를 숨깁니다"), aliases: ["ignore"], .muted
        ) { .muted($0, true) },
        mark(
            "unmute", .muted, Phrase("show WHO again", "WHO의 메시지를 다시 봅니다"), aliases: ["unignore"], .unmuted
        ) { .muted($0, false) },
        mark(
            "block", .all, Phrase("have nothing to do with WHO", "WHO를 차단합니다"), isKept: true, changes: .events, .blocked
        ) {
            .blocked($0, true)
        },
        mark("unblock", .blocked, Phrase("take a block back", "차단을 풉니다"), isKept: true, .unblocked) {
            .blocked($0, false)
        },
        CommandEntry(
            "blocked", [], .people, Phrase("the peers that you have blocked", "차단한 사람들"),
            .inRoom { .blocked($0.node.chat.roster.blocked) }),
        CommandEntry(
            "verify", [.who, .flag("verified", ["ok": true, "no": false], .unclearVerdict)], .people,
            Phrase(
                "a code to compare by voice; ok: it was the same; no: it was not",
                "말로 비교할 코드. ok: 같음, no: 다름"),
            changes: .rooms,
            .inRoom { turn throws(ChatError) in try turn.verify(turn.peer(), turn.operands.flag("verified")) }),
        CommandEntry(
            "contact", [.who, .ownName], .people,
            Phrase("keep WHO under a name of your own, with --identity", "WHO를 내가 정한 이름으로 기억합니다 (--identity 필요)"),
            done: .namedContact, changes: .rooms,
            .inProgram { turn, desk, rooms throws(ChatError) in try desk.nameContact(in: &turn, rooms) }),
        CommandEntry(
            "uncontact", [.who(.contacts)], .people, Phrase("forget the contact WHO", "연락처 WHO를 지웁니다"),
            done: .forgottenContact, changes: .rooms,
            .inProgram { turn, desk, rooms throws(ChatError) in try desk.forgetContact(in: &turn, rooms) }),
    ]

    static let who = CommandEntry(
        "who", [.flag("all", ["all": true])], .people,
        Phrase(
            "the peers that are here, how long, round trip; all: also those that left",
            "여기 있는 사람들과 시간, 왕복 시간. all: 나간 사람도"),
        aliases: ["names"],
        .inRoom { turn in
            .peers(
                turn.node.peers(), isWhole: turn.operands.flag("all") ?? false, here: turn.node.crowdSize,
                me: OwnRow(
                    who: turn.node.chat.ownName, status: turn.node.chat.session.status,
                    since: turn.node.chat.joinedAt))
        })

    /// A mark that the user sets for a key; silent to the other side.
    ///
    /// - Parameter isKept: whether later runs have it.
    private static func mark(
        _ name: String, _ meant: MeantPeers, _ help: Phrase, aliases: [String] = [], isKept: Bool = false,
        changes: Scope = .rooms, _ done: Phrase, _ change: @escaping @Sendable (PeerID) -> UserChange
    ) -> CommandEntry {
        CommandEntry(
            name, [.who(meant)], .people, help, aliases: aliases, done: done, changes: changes,
            .inRoom { turn throws(ChatError) in
                let peer = try turn.peer()
                let who = turn.node.chat.name(of: peer)
                turn.node.change(change(peer))
                if isKept { turn.change = .marks(turn.node.chat.roster.marks) }
                return turn.done(who)
            })
    }
}

extension CommandTurn {
    fileprivate func code(of peer: PeerID) -> String { VerificationCode(node.chat.me, peer).text }

    fileprivate mutating func verify(_ peer: PeerID, _ isVerified: Bool?) -> Answer {
        if let isVerified {
            node.change(.verified(peer, isVerified))
            change = .marks(node.chat.roster.marks)
        }
        return .verification(
            node.chat.name(of: peer), code: code(of: peer),
            isVerified: node.chat.roster.marks.verified.contains(peer), isKept: keepsMarks)
    }
}

/// Contacts, which every room shows by the user's names for them.
extension CommandExecutor {
    private func kept() throws(ChatError) -> (any ContactKeeper, Contacts) {
        guard let contactKeeper, let contacts = contactKeeper.contacts else {
            throw ChatError(.noIdentity, .contactsNeedIdentity)
        }
        return (contactKeeper, contacts)
    }

    fileprivate func nameContact(
        in turn: inout CommandTurn, _ rooms: isolated Program
    ) throws(ChatError) -> Answer {
        // A contact is shown with a star in front of its name, so people write one.
        let chosen = turn.operands["name"].map {
            $0.hasPrefix(PeerName.contactMark) && $0.count > 1 ? String($0.dropFirst()) : $0
        }
        return try changeContacts(in: &turn, rooms) { contacts, peer, node throws(ChatError) in
            let known = node.chat.name(of: peer)
            let own = chosen ?? known.contact ?? known.nickname
            try contacts.name(peer, own, lastHere: labels(of: peer, rooms).isEmpty ? nil : node.wallClock)
        }
    }

    fileprivate func forgetContact(
        in turn: inout CommandTurn, _ rooms: isolated Program
    ) throws(ChatError) -> Answer {
        try changeContacts(in: &turn, rooms) { contacts, peer, node throws(ChatError) in
            guard contacts.remove(peer) else {
                throw ChatError(.unknownPeer, .noSuchContact, node.chat.name(of: peer).displayName)
            }
        }
    }

    fileprivate func rows(on node: Node, _ rooms: isolated Program) throws(ChatError) -> [ContactView] {
        try kept().1.inOrder.map { contact in
            ContactView(
                node.chat.name(of: contact.key), lastHere: contact.lastHere, rooms: labels(of: contact.key, rooms),
                isVerified: rooms.all.contains { $0.node.chat.roster.marks.verified.contains(contact.key) })
        }
    }

    /// The rooms in which a peer is.
    private func labels(of peer: PeerID, _ rooms: isolated Program) -> [RoomLabel] {
        rooms.all.filter { $0.node.chat.roster.isHere(peer) }.map(\.label)
    }

    /// Changes the contacts for the peer of the command, in the file and in every room.
    private func changeContacts(
        in turn: inout CommandTurn, _ rooms: isolated Program,
        _ change: (inout Contacts, PeerID, Node) throws(ChatError) -> Void
    ) throws(ChatError) -> Answer {
        let (keeper, before) = try kept()
        var contacts = before
        let peer = try turn.peer()
        try change(&contacts, peer, turn.node)
        let names = contacts.names
        for room in rooms.all { room.node.change(.contacts(names)) }
        turn.stored = keeper.store(contacts)
        return turn.done(turn.node.chat.name(of: peer))
    }
}

/// A row of `/contacts`.
package struct ContactView: Sendable {
    package let who: PeerName
    /// Nil if it has not been here since it got its name.
    package let lastHere: Timestamp?
    /// The rooms in which it is now.
    package let rooms: [RoomLabel]
    package let isVerified: Bool

    package init(_ who: PeerName, lastHere: Timestamp?, rooms: [RoomLabel], isVerified: Bool) {
        (self.who, self.lastHere, self.rooms, self.isVerified) = (who, lastHere, rooms, isVerified)
    }
}

extension Answer {
    package static func contacts(_ contacts: [ContactView]) -> Answer {
        let rows = contacts.map { contact in
            AnswerRow({ wording, _ in wording.line(contact) }) {
                $0.member("who", contact.who)
                $0.member("lastHere", contact.lastHere.map { UniversalTime($0).text })
                $0.member("here", contact.rooms.map(\.name))
                $0.member("verified", contact.isVerified)
            }
        }
        return Answer("contacts", AnswerRows("contacts", rows, none: .noContacts))
    }

    /// In the order in which they were blocked.
    fileprivate static func blocked(_ peers: [PeerName]) -> Answer {
        let rows = peers.map { who in
            AnswerRow(Sentence(.blockedPeer, who.displayName, who.key.hexadecimal)) { $0.member("who", who) }
        }
        return Answer("blocked", AnswerRows("peers", rows, none: .noneBlocked))
    }
}

extension Wording {
    fileprivate func line(_ contact: ContactView) -> String {
        let name = contact.who.displayName
        let mark = contact.isVerified ? ", \(language(.isVerified))" : ""
        guard contact.rooms.isEmpty else {
            return language(.contactHere, name, names(contact.rooms.map(\.name))) + mark
        }
        guard let last = contact.lastHere else { return language(.contactUnseen, name) + mark }
        return language(.contactLast, name, "\(day(last)) \(clock(last))") + mark
    }
}
