import Phrases
import TestSupport
import Testing
import Wire

@testable import Chat
@testable import ChatNode
@testable import Commands
@testable import Model

/// Messages: their places, changes and counts.
@Suite struct ModelMessageTests {
    @Test func `history has its place, what was missed too, and a live message is the last one`() {
        var chat = WatchedChat()
        chat.tell(.message(.said(50)), .message(.said(60)))
        let late = chat.tell(.message(.said(10, history: true)))
        #expect(late.first == .message(.kitchen, .said(10, history: true), at: 0, evicted: nil))
        chat.tell(.message(.said(5, history: true)), .message(.said(55, missed: true)), .message(.said(40)))
        #expect(chat.texts() == ["text 5", "text 10", "text 50", "text 55", "text 60", "text 40"])
    }

    @Test
    func `of more than 100 messages the lowest place is let go, and one that is too old is reported but not kept`() {
        var chat = WatchedChat()
        for number: UInt64 in 100..<200 { chat.tell(.message(.said(number))) }
        let next = chat.tell(.message(.said(200)))
        #expect(next.first == .message(.kitchen, .said(200), at: 99, evicted: .numbered(100)))
        let old = chat.tell(.message(.said(1)))
        #expect(old == [.message(.kitchen, .said(1), at: nil, evicted: nil)])
        #expect(chat.model.conversation(.kitchen)?.log.count == 100)
    }

    @Test func `a message that is known changes nothing`() {
        var chat = WatchedChat()
        chat.tell(.message(.said(1)))
        #expect(chat.tell(.message(.said(1, "again"))).isEmpty)
        #expect(chat.texts() == ["text 1"])
    }

    @Test func `an edit is in place, and that of an unknown message has none`() {
        var chat = WatchedChat()
        chat.tell(.message(.said(1)), .message(.said(2)))
        let changed = MessageView.said(1).edited(to: "other")
        #expect(chat.tell(.edited(changed)) == [.edited(.kitchen, changed, was: MessageView.said(1).text, at: 0)])
        #expect(chat.texts() == ["other", "text 2"])
        #expect(chat.model.conversation(.kitchen)?.log[.numbered(1)]?.isEdited == true)
        #expect(chat.tell(.edited(.said(9))) == [.edited(.kitchen, .said(9), was: nil, at: nil)])
    }

    @Test func `a deletion tells what was there, is not unread any more, and leaves no text`() {
        var chat = WatchedChat()
        chat.show(nil)
        chat.tell(.message(.said(1)), .message(.said(2)))
        let changes = chat.tell(.deleted(.said(2, "")))
        guard
            case .removed(_, let was, let place)? = changes.first(where: {
                if case .removed = $0 { true } else { false }
            })
        else { return #expect(Bool(false), "nothing was removed") }
        #expect(was.text == "text 2" && place == 1)
        #expect(changes.contains(.erased(.message(.kitchen, .numbered(2)))))
        #expect(chat.unread() == 1)
        #expect(chat.model.conversation(.kitchen)?.last?.text == "text 1")
        #expect(!"\(chat.model)".contains("text 2"))
        #expect(chat.tell(.deleted(.said(9, ""))).first == .removed(.kitchen, .said(9, ""), at: nil))
    }

    @Test func `a delivery state is applied once and never goes back`() {
        var chat = WatchedChat()
        let place = ConversationView.direct(with: .fox)
        chat.tell(.message(.said(1, by: .me, in: place, delivery: .sending)))
        let id = MessageID.numbered(1)
        let delivered = chat.tell(.delivered(with: .fox, ids: [id, .numbered(7)]))
        #expect(delivered == [.delivery(.direct(.fox), id, .delivered, at: 0)])
        chat.tell(.read(with: .fox, ids: [id]))
        #expect(chat.tell(.delivered(with: .fox, ids: [id])).isEmpty)
        #expect(chat.tell(.failed(with: .fox, messages: [Undelivered(id: id, text: "")])).isEmpty)
        #expect(chat.model.conversation(.direct(.fox))?.log[id]?.delivery == .read)
    }

    @Test func `messages of others are unread where no view shows them, and history from before is not`() {
        var chat = WatchedChat()
        chat.tell(.message(.said(1)))
        #expect(chat.unread() == 0)
        chat.show(nil)
        chat.tell(
            .message(.said(2)), .message(.said(3, by: .me)), .message(.said(4, history: true)),
            .message(.said(5, missed: true)))
        #expect(chat.unread() == 2)
        #expect(chat.model.conversation(.kitchen)?.log.messages.filter(\.isUnread).count == 2)
        #expect(chat.show(.kitchen).contains(.unread(.kitchen, Unread(isDirect: false))))
        #expect(chat.unread() == 0)
    }

    @Test func `unread messages that are let go still count`() {
        var chat = WatchedChat()
        chat.show(nil)
        for number: UInt64 in 1...130 { chat.tell(.message(.said(number))) }
        #expect(chat.unread() == 130)
        chat.tell(.deleted(.said(130, "")))
        #expect(chat.unread() == 129)
        chat.show(.kitchen)
        #expect(chat.unread() == 0)
    }

    @Test func `a mention is the highest level, and goes with its message`() {
        var chat = WatchedChat()
        chat.show(nil)
        chat.tell(.message(.said(1, "hey me!")), .message(.said(2)))
        #expect(chat.model.conversation(.kitchen)?.unread.level == .mention)
        chat.tell(.deleted(.said(1, "")))
        #expect(chat.model.conversation(.kitchen)?.unread.level == .message)
        chat.tell(.message(.said(3, in: .direct(with: .fox))))
        #expect(chat.model.conversation(.direct(.fox))?.unread.level == .direct)
    }

    @Test func `after a rename of the user other texts are mentions`() {
        var chat = WatchedChat()
        chat.show(nil)
        chat.tell(.message(.said(1, "hey me!")), .message(.said(2, "hey ada!")))
        let changes = chat.tell(.renamed(.numbered(900, "ada"), was: .me))
        #expect(changes.first == .changed(.kitchen))
        let named = chat.model.conversation(.kitchen)?.log.messages.filter(\.isMention).map(\.text)
        #expect(named == ["hey ada!"])
        #expect(chat.model.room(1)?.me?.nickname == "ada")
    }
}

/// Which conversation each view shows.
@Suite struct ModelViewTests {
    @Test func `a conversation is active while any view shows it`() {
        var chat = WatchedChat()
        let page = ViewID(7)
        #expect(chat.show(.kitchen, in: page).isEmpty, "it was active before")
        chat.show(nil)
        chat.tell(.message(.said(1)))
        #expect(chat.unread() == 0)
        #expect(chat.show(nil, in: page) == [.active(.kitchen, isOn: false)])
        chat.tell(.message(.said(2)))
        #expect(chat.unread() == 1)
        chat.show(.kitchen, in: page)
        #expect(chat.unread() == 0)
        chat.show(nil, in: page)
        #expect(chat.show(.kitchen, in: page) == [.active(.kitchen, isOn: true)], "nothing was unread")
    }

    @Test func `a view that shows its conversation again keeps its place among the views`() {
        var views = ModelViews()
        for number in 1...ModelViews.capacity { _ = views.set(ViewID(number), to: .kitchen) }
        let again = views.set(ViewID(1), to: .kitchen)
        #expect(again.isEmpty)
        _ = views.set(ViewID(1_000), to: .kitchen)
        #expect(views.conversation(of: ViewID(1)) == nil && views.conversation(of: ViewID(2)) == .kitchen)
    }

    @Test func `a view moves no other one`() {
        var chat = WatchedChat()
        chat.tell(.message(.said(1, in: .direct(with: .fox))))
        chat.show(.direct(.fox), in: ViewID(7))
        #expect(chat.model.conversation(of: .shared) == .kitchen)
        #expect(chat.model.conversation(of: ViewID(7)) == .direct(.fox))
    }

    @Test func `of too many views the oldest gives way, and the shared one stays`() {
        var chat = WatchedChat()
        chat.tell(.message(.said(1, in: .direct(with: .fox))))
        for number in 1...300 { chat.show(.direct(.fox), in: ViewID(number)) }
        #expect(chat.model.conversation(of: ViewID(1)) == nil)
        #expect(chat.model.conversation(of: ViewID(300)) == .direct(.fox))
        #expect(chat.model.conversation(of: .shared) == .kitchen)
    }

    @Test func `open and close move the shared view; a conversation that nothing keeps ends with its last view`() {
        var chat = WatchedChat()
        let opened = chat.answer(.active(command: "open", .direct(with: .fox), recent: []))
        #expect(opened.contains(.conversation(.direct(.fox))))
        #expect(opened.contains(.active(.kitchen, isOn: false)))
        let closed = chat.answer(.active(command: "close", .publicRoom, recent: []))
        #expect(closed.contains(.conversationEnded(.direct(.fox))))
        #expect(chat.model.conversation(of: .shared) == .kitchen)
    }

    @Test func `a conversation that another face opened is taken with its messages`() {
        var chat = WatchedChat()
        let recent = [MessageView.said(1), .said(2)]
        let changes = chat.model.reduce(RoomReport(.garage, .opened(.publicRoom, recent: recent)), at: chat.moment)
        let garage = ConversationID(.garage, .publicRoom)
        #expect(changes.refreshed(garage)?.came == recent.map(\.id))
        #expect(chat.texts(garage) == ["text 1", "text 2"])
        #expect(chat.model.conversation(of: .shared) == garage)
    }
}

/// Peers: names, presence and marks.
@Suite struct ModelPeopleTests {
    @Test func `a rename changes conversation, typing and labels, and no nickname of an earlier message`() {
        var chat = WatchedChat()
        let place = ConversationView.direct(with: .fox)
        chat.tell(
            .here(.fox), .message(.said(1)), .message(.said(2, in: place)), .typing(.fox, .publicRoom, isOn: true))
        let otter = PeerName.numbered(1, "otter", suffix: 2_222)
        let changes = chat.tell(.peer(.here, otter, was: PeerSighting(.fox, .here), online: 1))
        #expect(changes.contains(.conversation(.direct(.fox))))
        #expect(chat.model.conversation(.direct(.fox))?.view == .direct(with: otter))
        #expect(chat.model.conversation(.kitchen)?.typists == [otter])
        #expect(chat.model.conversation(.kitchen)?.last?.from.displayName == "fox#1001-2222")
        #expect(chat.model.conversation(.direct(.fox))?.last?.conversation == .direct(with: otter))
        guard case .person(_, let now, let was)? = changes.first else { return #expect(Bool(false), "no person") }
        #expect(now.who == otter && was?.who == .fox)
    }

    @Test func `a peer is away with its reason, comes back and leaves, and marks stay`() {
        var chat = WatchedChat()
        chat.tell(.here(.fox))
        chat.take(.of(online: 1, people: [.here(.fox, isMuted: true, isVerified: true)], []))
        chat.tell(.peer(.away, .fox, reason: "lunch", was: PeerSighting(.fox, .here), online: 1))
        #expect(chat.model.person(PeerName.fox.key, in: .kitchen)?.reason == "lunch")
        chat.pass(.seconds(5))
        chat.tell(.left(.fox))
        let person = chat.model.person(PeerName.fox.key, in: .kitchen)
        #expect(person?.state == .left && person?.reason == nil)
        #expect(person?.since == chat.wallClock)
        #expect(person?.isVerified == true && person?.isMuted == true)
        #expect(chat.model.room(1)?.online == 0)
    }

    @Test func `the last 64 that left are kept`() {
        var chat = WatchedChat()
        chat.tell(.here(.owl))
        for number: UInt64 in 10..<110 {
            chat.tell(.here(.numbered(number)), .left(.numbered(number)))
            chat.pass(.seconds(1))
        }
        #expect(chat.model.room(1)?.people.count == 65)
        #expect(chat.model.person(.numbered(109), in: .kitchen) != nil)
        #expect(chat.model.person(.numbered(45), in: .kitchen) == nil)
    }

    @Test func `the texts of a blocked peer go, with its request and typing, and a snapshot brings them back`() {
        var chat = WatchedChat()
        chat.show(nil)
        let place = ConversationView.direct(with: .fox)
        chat.tell(
            .here(.fox), .message(.said(1)), .message(.said(2, by: .owl)), .message(.said(3, in: place)),
            .message(.said(4, by: .me, in: place, delivery: .sending)), .typing(.fox, .publicRoom, isOn: true))
        let changes = chat.tell(.blocked(.fox, isOn: true))
        #expect(changes.contains(.erased(.author(PeerName.fox.key, in: 1))))
        #expect(changes.removed == [1, 3].map { MessageView.said($0).id })
        #expect(chat.texts() == ["text 2"] && chat.unread() == 1)
        #expect(chat.texts(.direct(.fox)) == ["text 4"] && chat.unread(.direct(.fox)) == 0)
        #expect(chat.model.conversation(.kitchen)?.typists.isEmpty == true)
        #expect(chat.model.person(PeerName.fox.key, in: .kitchen)?.isBlocked == true)
        let summary = ConversationSummary(conversation: .publicRoom, isActive: false, unread: 2, last: nil)
        chat.tell(.blocked(.fox, isOn: false))
        let back = chat.report(.snapshot(.of(people: [.here(.fox)], [(summary, [.said(1), .said(2, by: .owl)])])))
        #expect(back.refreshed(.kitchen)?.came == [MessageView.said(1).id])
        #expect(chat.texts() == ["text 1", "text 2"])
        #expect(chat.model.person(PeerName.fox.key, in: .kitchen)?.isBlocked == false)
    }

    @Test func `a muted peer asks for nothing`() {
        var chat = WatchedChat()
        chat.tell(.here(.fox), .request(from: .fox, text: "hi"), .typing(.fox, .publicRoom, isOn: true))
        chat.tell(.typing(.fox, .publicRoom, isOn: false))
        let changes = chat.report(.snapshot(.of(online: 1, people: [.here(.fox, isMuted: true)], [])))
        #expect(changes.contains(.request(.direct(.fox), isOpen: false)))
        let later = chat.report(
            .snapshot(.of(online: 1, people: [.here(.fox)], requests: [(.fox, "hi")], [])))
        #expect(later.contains(.request(.direct(.fox), isOpen: true)))
    }

    @Test func `a contact has the user's name in every room, and its suffix stays that of the room`() {
        var chat = WatchedChat()
        chat.tell(.here(.fox))
        chat.tell(.here(.numbered(1, "fox", suffix: 9_999)), in: .garage)
        chat.take(.of(online: 1, people: [.here(.numbered(1, "fox", contact: "Bob"))], []))
        chat.take(.of(.garage, online: 1, people: [.here(.numbered(1, "fox", suffix: 9_999, contact: "Bob"))], []))
        #expect(chat.model.person(PeerName.fox.key, in: .kitchen)?.who.displayName == "★Bob#1001")
        #expect(chat.model.person(PeerName.fox.key, in: .garage)?.who.displayName == "★Bob#1001-9999")
    }

    @Test func `one key in two rooms is two people`() {
        var chat = WatchedChat()
        chat.tell(.here(.fox), .message(.said(1, in: .direct(with: .fox))))
        chat.tell(.here(.fox), .message(.said(2, in: .direct(with: .fox))), in: .garage)
        chat.tell(.left(.fox), .blocked(.fox, isOn: true))
        #expect(chat.model.person(PeerName.fox.key, in: .garage)?.state == .here)
        #expect(chat.texts(.direct(.fox, in: .garage)) == ["text 2"])
        #expect(chat.texts(.direct(.fox)).isEmpty)
    }

    @Test func `the rows of a crowd are only some of its people`() {
        var chat = WatchedChat()
        chat.tell(.here(.fox), .here(.owl, online: 2))
        chat.take(.of(online: 2, people: [.here(.owl)], []))
        #expect(chat.model.room(1)?.people.count == 2)
        chat.take(.of(online: 1, people: [.here(.owl)], []))
        #expect(chat.model.room(1)?.people.count == 1)
    }

    @Test func `in a crowd authors are people, and arrivals are numbers`() {
        var chat = WatchedChat()
        let changes = chat.tell(.crowd(came: 900, left: 3, online: 1_003))
        #expect(changes == [.moved(.kitchen, came: 900, left: 3), chat.note])
        #expect(chat.model.room(1)?.online == 1_003)
        chat.tell(.message(.said(1)))
        #expect(chat.model.person(PeerName.fox.key, in: .kitchen)?.isHere == true)
    }

    @Test func `typing ends by its event, a text or a departure`() {
        var chat = WatchedChat()
        let isTyping = { (chat: WatchedChat) in chat.model.conversation(.kitchen)?.typists.isEmpty == false }
        let start = NodeEvent.typing(.fox, .publicRoom, isOn: true)
        for end in [NodeEvent.typing(.fox, .publicRoom, isOn: false), .message(.said(1)), .left(.fox)] {
            chat.tell(.here(.fox), start)
            #expect(isTyping(chat))
            #expect(chat.tell(end).contains(.typing(.kitchen)))
            #expect(!isTyping(chat))
        }
    }
}

/// Direct conversations and requests.
@Suite struct ModelDirectTests {
    @Test func `a request is open until it is answered, and accepted a snapshot has it as a message`() {
        var chat = WatchedChat()
        let id = ConversationID.direct(.fox)
        #expect(chat.tell(.request(from: .fox, text: "hi")).contains(.request(id, isOpen: true)))
        #expect(chat.model.room(1)?.requests.map(\.text) == ["hi"])
        let changes = chat.tell(.direct(.accepted, with: .fox))
        #expect(changes.contains(.request(id, isOpen: false)))
        #expect(chat.model.conversation(id)?.standing == .accepted)
    }

    @Test func `the text of a declined request is gone, and what was said before stays`() {
        var chat = WatchedChat()
        let id = ConversationID.direct(.fox)
        chat.tell(.request(from: .owl, text: "who are you?"))
        #expect(chat.tell(.direct(.declined, with: .owl)).contains(.conversationEnded(.direct(.owl))))
        chat.tell(.message(.said(1, in: .direct(with: .fox))), .direct(.left, with: .fox))
        chat.tell(.request(from: .fox, text: "again?"), .direct(.declined, with: .fox))
        #expect(chat.texts(id) == ["text 1"])
        #expect(!"\(chat.model)".contains("again?") && !"\(chat.model)".contains("who are you?"))
    }

    @Test func `a conversation that is opened without a message has the name of its peer`() {
        var chat = WatchedChat()
        chat.report(.opened(.direct(with: .fox), recent: []))
        #expect(chat.model.conversation(.direct(.fox))?.view == .direct(with: .fox))
        chat.report(.opened(.publicRoom, recent: []))
        #expect(chat.model.conversation(.direct(.fox)) == nil)
    }

    @Test func `a conversation that was left is still history`() {
        var chat = WatchedChat()
        chat.tell(.message(.said(1, in: .direct(with: .fox))), .direct(.left, with: .fox))
        #expect(chat.texts(.direct(.fox)) == ["text 1"])
        #expect(chat.model.conversation(.direct(.fox))?.standing == .over)
    }

    @Test func `an own request is one until it is accepted, and over once it failed`() {
        var chat = WatchedChat()
        let place = ConversationView.direct(with: .fox)
        let asked = MessageView.said(1, by: .me, in: place, delivery: .sending, isRequest: true)
        chat.tell(.message(asked))
        #expect(chat.model.conversation(.direct(.fox))?.standing == .requestedByUs)
        chat.tell(.direct(.accepted, with: .fox))
        #expect(chat.model.conversation(.direct(.fox))?.last?.isRequest == false)
        chat.tell(.direct(.left, with: .fox))
        chat.tell(.message(.said(2, by: .me, in: place, delivery: .sending, isRequest: true)))
        chat.tell(.failed(with: .fox, messages: [Undelivered(id: .numbered(2), text: "")]))
        #expect(chat.model.conversation(.direct(.fox))?.standing == .over)
    }

    @Test func `of more than 32 requests the oldest is let go, of more than 256 conversations the least important`() {
        var chat = WatchedChat()
        for number: UInt64 in 10..<43 { chat.tell(.request(from: .numbered(number), text: "r\(number)")) }
        #expect(chat.model.room(1)?.requests.count == 32)
        #expect(chat.model.conversation(.direct(.numbered(10))) == nil)
        chat.show(.direct(.numbered(50)), in: ViewID(7))
        for number: UInt64 in 100..<400 { chat.tell(.message(.said(number, in: .direct(with: .numbered(number))))) }
        #expect(chat.model.room(1)?.conversations.count == 257)
        #expect(chat.model.room(1)?.requests.isEmpty == true)
        #expect(chat.model.conversation(.direct(.numbered(399))) != nil)
        #expect(chat.model.conversation(.direct(.numbered(50))) != nil, "a view shows it")
    }

    @Test func `conversations are in the order in which they began, in all rooms, with the numbers of the program`() {
        var chat = WatchedChat()
        chat.tell(.message(.said(1, in: .direct(with: .owl))))
        chat.tell(.ready, in: .garage)
        chat.tell(.message(.said(2, in: .direct(with: .fox))))
        let garage = ConversationID(.garage, .publicRoom)
        #expect(chat.model.conversations.map(\.id) == [.kitchen, .direct(.owl), garage, .direct(.fox)])
        #expect(chat.model.conversations.allSatisfy { chat.model.number(of: $0.id) == nil })
        let numbers: [Conversation: Int] = [.publicRoom: 7, .direct(PeerName.owl.key): 9]
        chat.report(.event(.crowd(came: 0, left: 0, online: 0)), numbers: numbers)
        #expect(chat.model.conversations.map { chat.model.number(of: $0.id) } == [7, 9, nil, nil])
        chat.take(.of(online: 0, []))
        #expect(chat.model.number(of: .kitchen) == nil, "a snapshot has the numbers of now")
    }
}

/// Rooms, from their beginning to their end.
@Suite struct ModelRoomTests {
    @Test func `a room that is left says goodbye, and ends with all its texts`() {
        var chat = WatchedChat()
        chat.tell(.ready, in: .garage)
        chat.tell(.message(.said(1)))
        chat.answer(.parted(.kitchen, .publicRoom, recent: []), in: .garage)
        #expect(chat.model.room(1)?.isLeaving == true)
        #expect(chat.model.conversation(of: .shared) == ConversationID(.garage, .publicRoom))
        chat.tell(.failed(with: .fox, messages: []))
        let ended = chat.tell(.stopped(.asked))
        #expect(ended.suffix(2) == [.ended(.kitchen), .erased(.room(1))])
        #expect(ended.removed == [MessageView.said(1).id], "faces are told of each message that goes")
        #expect(chat.model.rooms.map(\.label) == [.garage])
        #expect(!"\(chat.model)".contains("text 1"))
    }

    @Test func `another room that is left changes nothing in the open conversation`() {
        var chat = WatchedChat()
        chat.tell(.ready, in: .garage)
        chat.tell(.message(.said(1)))
        let changes = chat.answer(.parted(.garage, .publicRoom, recent: nil))
        #expect(changes == [.changed(.garage)])
        #expect(chat.texts() == ["text 1"])
    }

    @Test func `a wipe forgets all, and begins again`() {
        var chat = WatchedChat()
        chat.tell(.message(.said(1)), .here(.fox), .invitation(from: .fox, to: Room(openNamed: "attic")))
        let changes = chat.answer(.wiped(MemoryUsage(), files: []))
        #expect(changes == [.ended(.kitchen), .erased(.everything)])
        #expect(chat.model.rooms.isEmpty && chat.model.invitations.isEmpty)
        #expect(chat.model.conversation(of: .shared) == nil)
        for text in ["text 1", "fox", "attic"] { #expect(!"\(chat.model)".contains(text)) }
        chat.tell(.ready, in: RoomLabel(number: 3, name: "lobby"))
        #expect(chat.model.conversations.count == 1)
        #expect(chat.model.conversation(of: .shared) == ConversationID(room: 3))
    }

    @Test func `a seventeenth room is not kept`() {
        var chat = WatchedChat()
        for number in 2...17 { chat.tell(.ready, in: RoomLabel(number: number, name: "room \(number)")) }
        #expect(chat.model.rooms.count == 16)
        #expect(chat.model.room(17) == nil)
    }

    @Test func `a bridge is noted by its notices`() {
        var chat = WatchedChat()
        for (code, isChange) in [
            (NoticeCode.roomBridged, true), (.bridgeConnected, false), (.bridgeLost, false), (.roomUnbridged, true),
        ] {
            let changes = chat.tell(.notice(code, Sentence(.lonely)))
            #expect(changes == (isChange ? [chat.note, .changed(.kitchen)] : [chat.note]))
        }
    }

    @Test func `a warning why no peer may be found stays until discovery changes`() {
        var chat = WatchedChat()
        let warning = Sentence(.noInterface)
        #expect(chat.tell(.notice(.noInterface, warning)) == [.changed(.kitchen)])
        #expect(chat.model.room(1)?.obstacle == Obstacle(.noInterface, warning))
        #expect(chat.tell(.notice(.clockSkew, Sentence(.lonely))).isEmpty)
        #expect(chat.tell(.notice(.discoveryChanged, Sentence(.lonely))) == [.changed(.kitchen)])
        #expect(chat.model.room(1)?.obstacle == nil)
    }

    @Test func `invitations of a peer go when the user blocks it`() {
        var chat = WatchedChat()
        chat.tell(.invitation(from: .fox, to: Room(openNamed: "a")), .invitation(from: .owl, to: Room(openNamed: "b")))
        #expect(chat.tell(.blocked(.fox, isOn: true)).contains(.invitations))
        #expect(chat.model.invitations.map(\.room.name) == ["b"])
    }

    @Test func `the user's own state and the row of a marked peer are taken`() {
        var chat = WatchedChat()
        chat.tell(.here(.fox), .message(.said(1, in: .direct(with: .fox))))
        let away = OwnStatus(.away, reason: "lunch")
        let told = chat.tell(.status(away, was: OwnStatus()))
        #expect(told.contains(.changed(.kitchen)))
        #expect(chat.model.room(1)?.status == away)
        let bob = PeerName.numbered(1, "fox", contact: "Bob")
        let row = Roster.Row(
            who: bob, state: .here, reason: nil, profile: Profile(), since: Timestamp(milliseconds: 1),
            isElsewhere: false, isMuted: true, isBlocked: false, isVerified: false)
        let changes = chat.tell(.person(row))
        #expect(changes.contains(.conversation(.direct(.fox))))
        #expect(chat.model.person(bob.key, in: .kitchen)?.isMuted == true)
        #expect(chat.model.conversation(.direct(.fox))?.view == .direct(with: bob))
    }

    @Test func `invitations are bounded, and none to a room that one is in`() {
        var chat = WatchedChat()
        #expect(chat.tell(.invitation(from: .fox, to: Room(openNamed: "a"), isThere: true)).isEmpty)
        for number in 0..<40 { chat.tell(.invitation(from: .fox, to: Room(openNamed: "room \(number)"))) }
        #expect(chat.model.invitations.count == 32)
        #expect(chat.model.invitations.last?.room.name == "room 39")
        let left = Array(chat.model.invitations.prefix(1))
        #expect(chat.answer(.rooms(RoomList([], announced: [:], invitations: left))) == [.invitations])
        #expect(chat.model.invitations.count == 1)
    }

    @Test func `a snapshot says all, and the next events go on behind it`() throws {
        let place = ConversationView.direct(with: .fox)
        var direct = MessageView.said(3, in: place)
        direct.isUnread = true
        var chat = WatchedChat()
        chat.tell(.message(.said(9)), .message(.said(8, in: .direct(with: .owl))), .here(.owl))
        let snapshot = RoomSnapshot.of(
            online: 1, isBridged: true,
            people: [
                PeerView(
                    who: .fox, state: .away, since: Timestamp(milliseconds: 5), roundTrip: nil, isMuted: true,
                    isVerified: false, isBlocked: false, reason: "tea")
            ], requests: [(.numbered(5), "please")],
            [
                (ConversationSummary(conversation: .publicRoom, isActive: true, unread: 0, last: nil), [.said(1)]),
                (
                    ConversationSummary(
                        conversation: place, isActive: false, unread: 4, last: nil, standing: .accepted),
                    [direct]
                ),
            ])
        let changes = chat.take(snapshot)
        let refreshed = try #require(changes.refreshed(.kitchen))
        #expect(refreshed.came == [MessageView.said(1).id] && refreshed.gone == [MessageView.said(9).id])
        #expect(changes.refreshed(.direct(.owl))?.gone == [MessageView.said(8).id])
        #expect(changes.contains(.conversationEnded(.direct(.owl))))
        #expect(chat.texts() == ["text 1"])
        #expect(chat.unread(.direct(.fox)) == 4)
        #expect(chat.model.room(1)?.requests.map(\.text) == ["please"])
        #expect(chat.model.room(1)?.isBridged == true && chat.model.room(1)?.people.count == 1)
        chat.tell(.deleted(direct))
        #expect(chat.unread(.direct(.fox)) == 3)
        chat.take(snapshot)
        #expect(chat.take(snapshot).allSatisfy { $0 == .changed(.kitchen) })
    }

    @Test func `nothing of a snapshot is unread where a view shows the conversation`() {
        var chat = WatchedChat()
        chat.show(.kitchen, in: ViewID(7))
        chat.show(nil)
        var message = MessageView.said(1)
        message.isUnread = true
        let summary = ConversationSummary(conversation: .publicRoom, isActive: true, unread: 4, last: nil)
        chat.take(.of(online: 0, [(summary, [message])]))
        #expect(chat.unread() == 0)
        chat.show(nil, in: ViewID(7))
        #expect(chat.unread() == 0)
    }

    @Test func `a conversation that the node does not have any more has nothing unread`() {
        let view = ConversationView.direct(with: .fox)
        var conversation = ModelConversation(.direct(.fox), order: 1, view)
        for number: UInt64 in 1...130 { _ = conversation.add(.said(number, in: view)) }
        #expect(conversation.unread.messages == 130)
        _ = conversation.forget()
        #expect(conversation.unread.messages == 0)
    }

    @Test func `a snapshot tells which of the active conversations is the open one`() {
        var chat = WatchedChat()
        let place = ConversationView.direct(with: .fox)
        chat.tell(.here(.fox), .message(.said(1, in: place)))
        func snapshot(open: ConversationView?) -> RoomSnapshot {
            .of(
                online: 1, people: [.here(.fox)],
                [ConversationView.publicRoom, place].map { view in
                    let summary = ConversationSummary(
                        conversation: view, isActive: true, isOpen: view == open, unread: 0, last: nil,
                        standing: view == place ? .accepted : .over)
                    return (summary, view == place ? [.said(1, in: place)] : [])
                })
        }
        chat.take(snapshot(open: place))
        #expect(chat.model.conversation(of: .shared) == .direct(.fox))
        chat.take(snapshot(open: nil))
        #expect(chat.model.conversation(of: .shared) == nil)
    }

    @Test(arguments: ["r1", "r1-" + String(repeating: "0a", count: 32)])
    func `a conversation's id is its name in paths`(text: String) {
        #expect(ConversationID(text)?.description == text)
    }

    @Test(arguments: ["", "r", "r1-", "R1", "r01", "x1", "r1-00", "r-1", "1", "r99999999999999999999"])
    func `a name of no conversation is refused`(text: String) { #expect(ConversationID(text) == nil) }
}
