import Commands
import Rendering
import Testing
import Wire

@testable import ChatNode
@testable import WebFace

@Suite struct EventLogTests {
    private func said(_ number: Int = 0) throws -> MessageView {
        MessageView(
            conversation: .publicRoom, id: MessageID(1, UInt64(number)), from: try Sample.who(),
            text: "message \(number)",
            sentAt: Sample.time, receivedAt: Sample.time, isFromCurrentUser: false, isHistory: false, isEdited: false,
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
        #expect(entry.name == "added")
        #expect(log.append(RoomReport.entered("/who")) == nil)
        let parted = log.append(RoomReport.event(.stopped(.asked)))
        #expect(try JSONValue(parsing: try #require(parted).json)["room"]?.string == "lobby")
        #expect(parted?.name == "parted")
        for event in try Sample.events() { _ = log.append(RoomReport.event(event)) }
    }

    @Test func `missed events are known for the last 4,096 of this run`() throws {
        let log = try log(5_000)
        #expect(log.missed(since: "0123abcd-5000")?.isEmpty == true)
        #expect(log.missed(since: "0123abcd-4990")?.map(\.number) == Array(4_991...5_000))
        #expect(log.missed(since: "0123abcd-\(5_000 - EventLog.capacity)")?.count == EventLog.capacity)
        for unknown in [
            "0123abcd-\(4_999 - EventLog.capacity)", "0123abcd-5001", "0123abce-5000", "0123abcd", "", "-",
            "0123abcd--1", "0123abcd-x", "0123abcd-1-2",
        ] {
            #expect(log.missed(since: unknown) == nil, "\(unknown)")
        }
        let short = try self.log(3)
        #expect(short.missed(since: "0123abcd-0")?.count == 3)
    }

    @Test func `a stored message is there once, as it is now, until it is deleted`() throws {
        var store = MessageStore()
        let messages = try (0..<300).map { try said($0) }
        for message in messages { store.note(.event(.message(message))) }
        let id = ConversationID(.lobby, messages[0].conversation)
        #expect(store.messages(of: id, with: []).map(\.text) == messages.suffix(MessageStore.capacity).map(\.text))
        let latest = Array(messages.suffix(100))
        #expect(store.messages(of: id, with: latest).map(\.id) == messages.suffix(MessageStore.capacity).map(\.id))
        store.note(.event(.deleted(messages[0].conversation, messages[150].id, unread: 0)))
        #expect(!store.messages(of: id, with: latest).contains { $0.id == messages[150].id })
        store.note(.event(.stopped(.asked)))
        #expect(store.messages(of: id, with: []).isEmpty)
    }

    @Test(arguments: [1, 7, 50, 100])
    func `pages have each message once in both directions`(limit: Int) throws {
        let all = try (0..<100).map { try said($0) }
        var page = try #require(MessagePage(of: all, before: nil, after: nil, limit: limit))
        var backwards = Array(page.messages)
        while let previous = page.previous {
            page = try #require(MessagePage(of: all, before: previous, after: nil, limit: limit))
            backwards = Array(page.messages) + backwards
        }
        #expect(backwards.map(\.id) == all.map(\.id))
        var forwards = [all[0]]
        var next: MessageID? = all[0].id
        while let after = next {
            page = try #require(MessagePage(of: all, before: nil, after: after, limit: limit))
            forwards += page.messages
            next = page.next
        }
        #expect(forwards.map(\.id) == all.map(\.id))
        #expect(MessagePage(of: all, before: MessageID(0, 0), after: nil, limit: 7) == nil)
    }

    @Test(arguments: [
        "", "r", "r1-", "x1", "r1-00", "r-1", "1", "r99999999999999999999", "r1-" + String(repeating: "g", count: 64),
    ])
    func `a name of no conversation is refused`(text: String) {
        #expect(ConversationID(text) == nil)
    }
}
