import ChatNode
import Commands
import Model
import Rendering
import TestSupport
import Testing
import Wire

@testable import Chat
@testable import Hub
@testable import WebFace

extension EventLog {
    /// The log of the web server.
    init(run: String) { self.init(run: run, line: WebJSON.line(of:before:_:)) }
}

@Suite struct EventLogTests {
    private func said(_ number: Int = 0) throws -> MessageView {
        MessageView(
            conversation: .publicRoom, id: MessageID(1, UInt64(number)), from: try Sample.who(),
            text: "message \(number)",
            sentAt: Sample.time, receivedAt: Sample.time, placeTime: Sample.time,
            authorClock: AuthorClock(epoch: 1, sequence: UInt64(number)), isFromCurrentUser: false, isHistory: false,
            isEdited: false,
            unread: 0)
    }

    private func log(_ count: Int) throws -> EventLog {
        var log = EventLog(run: "0123abcd")
        let message = try said()
        for _ in 0..<count { _ = log.append(RoomReport.event(.message(message))) }
        return log
    }

    @Test func `an event has the line of standard output, with its id and its conversation`() throws {
        var log = try log(0)
        let report = RoomReport.event(.message(try said()))
        let appended = log.append(report)
        let entry = try #require(appended)
        let value = try JSONValue(parsing: entry.json)
        #expect(value["seq"]?.string == "0123abcd-1")
        #expect(value["text"]?.string == "message 0")
        #expect(value["conversationId"]?.string == "r\(report.room.number)")
        #expect(value["before"] == .null && value["roomId"]?.string == "r1")
        let placed = log.append(report, before: MessageID(1, 7))
        let before = try JSONValue(parsing: try #require(placed).json)["before"]?.string
        #expect(before == MessageID(1, 7).hexadecimal)
        #expect(entry.name == "added")
        #expect(log.append(RoomReport.entered("/who")) == nil)
        let parted = log.append(RoomReport.event(.stopped(.asked)))
        #expect(try JSONValue(parsing: try #require(parted).json)["room"]?.string == "lobby")
        #expect(parted?.name == "parted")
        for event in try Sample.events() { _ = log.append(RoomReport.event(event)) }
    }

    @Test func `missed events are known for the last 4,096 of this run`() throws {
        let log = try log(5_000)
        #expect(log.number(of: "0123abcd-5000") == 5_000)
        #expect(log.next(behind: 5_000) == nil)
        #expect(log.number(of: "0123abcd-4990") == 4_990)
        #expect(log.next(behind: 4_990)?.number == 4_991)
        #expect(log.number(of: "0123abcd-\(5_000 - EventLog.capacity)") != nil)
        for unknown in [
            "0123abcd-\(4_999 - EventLog.capacity)", "0123abcd-5001", "0123abce-5000", "0123abcd", "", "-",
            "0123abcd--1", "0123abcd-x", "0123abcd-1-2",
        ] {
            #expect(log.number(of: unknown) == nil, "\(unknown)")
        }
        #expect(try self.log(3).number(of: "0123abcd-0") == 0)
    }

    @Test func `a text that is over leaves a gap, and what is behind it is still known`() throws {
        var log = EventLog(run: "0123abcd")
        let messages = try (0..<10).map { try said($0) }
        for message in messages { _ = log.append(.event(.message(message))) }
        log.erase(.message(ConversationID(.lobby, .publicRoom), messages[4].id))
        #expect(log.next(behind: 4)?.number == 6)
        #expect(log.number(of: "0123abcd-5") == 5)
        var changed = messages[7]
        (changed.text, changed.isEdited) = ("changed", true)
        let topic = EventTopic(changed, in: .lobby)
        log.change(topic, to: changed, in: .lobby)
        let entry = try #require(log.next(behind: 7))
        #expect(try JSONValue(parsing: entry.json)["text"]?.string == "changed")
        #expect(try JSONValue(parsing: entry.json)["edited"]?.bool == true)
        #expect(entry.id == "0123abcd-8")
        log.erase(.room(RoomLabel.lobby.number))
        #expect(log.next(behind: 0) == nil)
        #expect(log.id == "0123abcd-10")
        _ = log.append(.event(.message(messages[0])))
        #expect(log.next(behind: 3)?.number == 11)
    }

    @Test func `reactions and cards are forgotten with their message, their author and their end`() throws {
        let (fox, owl) = (try Sample.who("fox", byte: 1), try Sample.who("owl", byte: 2))
        let id = ConversationID(.lobby, .publicRoom)
        var log = EventLog(run: "0123abcd")
        func names() -> [String] {
            var (names, place): ([String], Int) = ([], 0)
            while let entry = log.next(behind: place) {
                names.append(entry.name)
                place = entry.number
            }
            return names
        }
        func fill() throws {
            log = EventLog(run: "0123abcd")
            let message = try Sample.said("hi", by: fox, id: 1)
            log.append(.event(.message(message)))
            log.append(.event(.reacted(try Sample.reaction(by: owl, to: message))))
            log.append(.event(.card(try Sample.card(by: owl))))
        }
        try fill()
        #expect(names() == ["added", "reacted", "card"])
        // Sessions that count events know the message by its number.
        #expect(log.next(behind: 1)?.reactedTo == 1 && log.next(behind: 0)?.reactedTo == nil)
        // An edit takes neither away.
        let edited = try Sample.said("ho", by: fox, id: 1)
        log.change(EventTopic(edited, in: .lobby), to: edited, in: .lobby)
        #expect(names() == ["added", "reacted", "card"])
        #expect(log.erase(.message(id, edited.id)).map(\.name) == ["added"] && names() == ["card"])
        try fill()
        #expect(log.erase(.author(owl.key, in: 1)).map(\.name) == ["card"] && names() == ["added"])
        try fill()
        // The author of the message: its text may be in what tells of the reaction.
        #expect(log.erase(.author(fox.key, in: 1)).map(\.name) == ["added"] && names() == ["card"])
        try fill()
        #expect(log.erase(.message(id, try Sample.message(0x0d))).map(\.name) == ["card"])
        #expect(names() == ["added", "reacted"])
        try fill()
        #expect(log.erase(.room(1)).map(\.name) == ["added", "card"] && names().isEmpty)
    }

    @Test func `a snapshot has the cards, and none that is to be forgotten`() throws {
        let (fox, owl) = (try Sample.who("fox", byte: 1), try Sample.who("owl", byte: 2))
        var model = ChatModel()
        let moment = Moment(instant: Instant(nanoseconds: 0), wallClock: Sample.time)
        _ = model.reduce(
            .event(.ready(me: try Sample.who("me"), port: 1, room: "lobby", discovery: .none)), at: moment)
        _ = model.reduce(.event(.card(try Sample.card("theirs", by: fox, id: 1))), at: moment)
        _ = model.reduce(.event(.card(try Sample.card("its", by: owl, id: 2))), at: moment)
        func text(_ form: EventLog.Form, _ erasure: Erasure?) -> String {
            var parts = SnapshotParts(model, people: [], [], AuthorColors(), seq: "0123abcd-4", as: form)
            if let erasure { parts.erase(erasure) }
            var text = ""
            while let part = parts.next() { text += String(decoding: part, as: UTF8.self) }
            return text
        }
        for form in [EventLog.Form.json, .serverSent] {
            #expect(text(form, nil).contains(#""title":"theirs""#) && text(form, nil).contains(#""title":"its""#))
            let left = text(form, .author(fox.key, in: 1))
            #expect(!left.contains("theirs") && left.contains(#""title":"its""#))
            #expect(!text(form, .everything).contains("a red hat"))
        }
        let object = try JSONValue(parsing: Array(text(.json, nil).utf8))
        #expect(object["cards"]?.array?.map { $0["roomId"]?.string } == ["r1", "r1"])
        #expect(text(.serverSent, nil).contains("event: card\n"))
    }

    @Test func `a stream gets each event once, and is late once too much waits`() throws {
        var log = try log(3)
        var feed = StreamFeed(behind: 1, of: log)
        #expect(feed.next(of: log, upTo: 1, for: nil) == nil)
        #expect([feed.next(of: log, upTo: 3, for: nil), feed.next(of: log, for: nil)].allSatisfy { $0 != nil })
        #expect(feed.next(of: log, for: nil) == nil)
        let message = try said()
        for _ in 0..<EventLog.capacity { _ = log.append(.event(.message(message))) }
        #expect(!feed.isLate(for: log))
        _ = log.append(.event(.message(message)))
        #expect(feed.isLate(for: log))
        // Events that waited when a client came back do not count.
        #expect(!StreamFeed(behind: log.dropped, of: log).isLate(for: log))
    }

    @Test func `a deleted message keeps its place as a cursor while what is around it goes too`() throws {
        let id = ConversationID(.lobby, .publicRoom)
        let all = try (0..<10).map { try said($0) }
        var (left, deleted) = (all, DeletedCursors())
        for number in [4, 5, 3] {
            let index = try #require(left.firstIndex { $0.id == all[number].id })
            left.remove(at: index)
            deleted.add(all[number].id, of: id, behind: index == 0 ? nil : left[index - 1].id)
        }
        for number in [3, 4, 5] {
            let page = MessagePage(of: left, in: id, deleted, before: nil, after: all[number].id, limit: 1)
            #expect(page?.messages.map(\.id) == [all[6].id])
            let before = MessagePage(of: left, in: id, deleted, before: all[number].id, after: nil, limit: 1)
            #expect(before?.messages.map(\.id) == [all[2].id])
        }
        // The node has forgotten all that was in front of it.
        let late = Array(left.suffix(2))
        let page = MessagePage(of: late, in: id, deleted, before: nil, after: all[4].id, limit: 9)
        #expect(page?.messages.map(\.id) == late.map(\.id))
        #expect(MessagePage(of: late, in: id, deleted, before: all[4].id, after: nil, limit: 9)?.messages == [])
        #expect(MessagePage(of: late, in: id, deleted, before: all[2].id, after: nil, limit: 9) == nil)
        let other = ConversationID(room: 2)
        #expect(MessagePage(of: late, in: other, deleted, before: all[4].id, after: nil, limit: 9) == nil)
        for number in 0..<DeletedCursors.capacity { deleted.add(MessageID(9, UInt64(number)), of: other, behind: nil) }
        #expect(deleted.place(of: all[4].id, in: id, left) == nil)
        deleted.erase(.room(2))
        #expect(deleted.place(of: MessageID(9, 9), in: other, left) == nil)
    }

    @Test(arguments: [1, 7, 50, 100])
    func `pages have each message once in both directions`(limit: Int) throws {
        let all = try (0..<100).map { try said($0) }
        let id = ConversationID(.lobby, .publicRoom)
        var page = try #require(MessagePage(of: all, in: id, before: nil, after: nil, limit: limit))
        var backwards = page.messages
        while let previous = page.previous {
            page = try #require(MessagePage(of: all, in: id, before: previous, after: nil, limit: limit))
            backwards = page.messages + backwards
        }
        #expect(backwards.map(\.id) == all.map(\.id))
        var forwards = [all[0]]
        var next: MessageID? = all[0].id
        while let after = next {
            page = try #require(MessagePage(of: all, in: id, before: nil, after: after, limit: limit))
            forwards += page.messages
            next = page.next
        }
        #expect(forwards.map(\.id) == all.map(\.id))
        #expect(MessagePage(of: all, in: id, before: MessageID(0, 0), after: nil, limit: 7) == nil)
    }

    @Test(arguments: [
        "", "r", "r1-", "x1", "r1-00", "r-1", "1", "r99999999999999999999", "r1-" + String(repeating: "g", count: 64),
    ])
    func `a name of no conversation is refused`(text: String) {
        #expect(ConversationID(text) == nil)
    }
}
