import Chat
import ChatNode
import LineEditor
import TestSupport
import Testing
import Wire

@testable import Commands
@testable import Model
@testable import TerminalFace

extension KnownNames {
    /// The names in the room `kitchen` after these reports.
    init(after reports: [Report], announced: [String] = []) {
        var model = ChatModel()
        let moment = Moment(instant: TerminalUser.start, wallClock: Sample.time)
        for report in reports { _ = model.reduce(RoomReport(.kitchen, report), at: moment) }
        self.init(model, open: model.conversation(of: .shared), announced: announced)
    }
}

@Suite struct TerminalNamesTests {
    static func names(and more: [NodeEvent] = []) throws -> KnownNames {
        let people = [
            ("quiet-otter", 4_821), ("민수", 4_877), ("민수", 1_111), ("two words", 2_222), ("a\u{202e}b", 3_333),
            ("", 5_555),
        ]
        let arrivals = try people.enumerated().map { index, person in
            NodeEvent.peer(
                .here, try Sample.who(person.0, number: person.1, byte: UInt8(index + 1)), online: index + 1)
        }
        return KnownNames(after: (arrivals + more).map(Report.event))
    }

    static func candidates(_ left: String) throws -> [String] {
        try names().completion(of: left)?.candidates ?? []
    }

    @Test func `in a crowd, where not each arrival has an event, authors of messages are completed`() throws {
        let message = try Sample.said("hi", by: try Sample.who("quiet-otter", number: 4_821, byte: 1))
        let crowd = Report.event(.crowd(came: 60, left: 0, online: 60))
        let reports = [crowd, .event(.message(message))]
        #expect(KnownNames(after: [reports[1]]).completion(of: "/msg qui")?.candidates ?? [] == [])
        #expect(KnownNames(after: reports).completion(of: "/msg qui")?.candidates == ["quiet-otter"])
    }

    @Test func `a peer that asks for a conversation is completed, although no event told that it came`() throws {
        let names = KnownNames(after: [.event(.request(from: try Sample.who("quiet-otter"), text: "hi"))])
        #expect(names.completion(of: "/accept qui")?.candidates == ["quiet-otter"])
    }

    @Test func `a command is completed behind a slash`() throws {
        #expect(try Self.candidates("/op") == ["/open"])
        #expect(
            try Self.candidates("/UN") == ["/unblock", "/uncontact", "/unignore", "/unmute", "/unreact", "/unread"])
        let listed = CommandEntry.listed.flatMap { [$0.name] + $0.aliases }
        #expect(try Set(Self.candidates("/")) == Set(listed.map { "/" + $0 }).subtracting(["/wipe"]))
        #expect(try !Self.candidates("/w").contains("/wipe"))
        #expect(try Self.candidates("/wip") == ["/wipe"])
        #expect(try Self.candidates("/nope") == [])
    }

    @Test func `a command's peer is completed by nickname and by number`() throws {
        #expect(try Self.candidates("/msg qui") == ["quiet-otter"])
        #expect(try Self.candidates("/msg #48") == ["#4821", "#4877"])
        #expect(try Self.candidates("/accept 48") == ["#4821", "#4877"])
        #expect(try Self.candidates("/open p") == ["public"])
        #expect(try Self.candidates("/msg ").count == 5)
        #expect(try Self.candidates("/nick qui") == ["quiet-otter"])
        #expect(try Self.candidates("/msg 4821 hi qu") == ["quiet-otter"])
    }

    @Test func `in a text a name is completed, but not an empty word`() throws {
        #expect(try Self.candidates("hello QUI") == ["quiet-otter"])
        #expect(try Self.candidates("see #48") == ["#4821", "#4877"])
        #expect(try Self.names().completion(of: "hello ") == nil)
        #expect(try Self.names().completion(of: "") == nil)
    }

    @Test func `a name that two have, or that can not be typed plainly, becomes the number`() throws {
        #expect(try Self.candidates("/msg 민") == ["#1111", "#4877"])
        #expect(try Self.candidates("/msg two") == ["#2222"])
        #expect(try Self.candidates("/msg a") == ["#3333"])
    }

    @Test func `a contact is completed by the user's own name behind a command, and never in a text`() throws {
        let bob = try Sample.who("small-fox", number: 1_001, byte: 1, contact: "Bob")
        let names = KnownNames(after: [.event(.peer(.here, bob, online: 1))])
        func candidates(_ left: String) -> [String] { names.completion(of: left)?.candidates ?? [] }
        #expect(candidates("/msg Bo") == ["Bob"] && candidates("/msg ★b") == ["★Bob"])
        for left in ["Bo", "@Bo", "★Bo", "hi ★", "/msg 1001 ask bo", "sm"] {
            let found = candidates(left)
            #expect(found == [left.hasPrefix("@") ? "@small-fox" : "small-fox"], "\(left)")
        }
    }

    @Test func `a peer that has left is not offered`() throws {
        let names = try Self.names(and: [.peer(.left, try Sample.who("quiet-otter", byte: 1), online: 0)])
        #expect(names.completion(of: "qui")?.candidates == [])
    }
}
