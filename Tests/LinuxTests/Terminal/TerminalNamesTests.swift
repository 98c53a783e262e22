import Chat
import ChatNode
import LineEditor
import Testing
import Wire

@testable import Commands
@testable import TerminalFace

@Suite struct TerminalNamesTests {
    static func names() throws -> KnownNames {
        var names = KnownNames()
        let people = [
            ("quiet-otter", 4_821), ("민수", 4_877), ("민수", 1_111), ("two words", 2_222), ("a\u{202e}b", 3_333),
            ("", 5_555),
        ]
        for (index, person) in people.enumerated() {
            let who = try Sample.who(person.0, number: person.1, byte: UInt8(index + 1))
            names.record(.event(.peer(.here, who, online: 1)))
        }
        return names
    }

    static func candidates(_ left: String) throws -> [String] {
        try names().completion(of: left)?.candidates ?? []
    }

    @Test func `in a crowd, where not each arrival has an event, authors of messages are completed`() throws {
        var names = KnownNames()
        let message = try Sample.said("hi", by: try Sample.who("quiet-otter", number: 4_821, byte: 1))
        names.record(.event(.message(message)))
        #expect(names.completion(of: "/msg qui")?.candidates ?? [] == [])
        names.record(.event(.crowd(came: 60, left: 0, online: 60)))
        names.record(.event(.message(message)))
        #expect(names.completion(of: "/msg qui")?.candidates == ["quiet-otter"])
    }

    @Test func `a command is completed behind a slash`() throws {
        #expect(try Self.candidates("/op") == ["/open"])
        #expect(try Self.candidates("/UN") == ["/unblock", "/uncontact", "/unignore", "/unmute", "/unread"])
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
        var names = KnownNames()
        let bob = try Sample.who("small-fox", number: 1_001, byte: 1, contact: "Bob")
        names.record(.event(.peer(.here, bob, online: 1)))
        func candidates(_ left: String) -> [String] { names.completion(of: left)?.candidates ?? [] }
        #expect(candidates("/msg Bo") == ["Bob"] && candidates("/msg ★b") == ["★Bob"])
        for left in ["Bo", "@Bo", "★Bo", "hi ★", "/msg 1001 ask bo", "sm"] {
            let found = candidates(left)
            #expect(found == [left.hasPrefix("@") ? "@small-fox" : "small-fox"], "\(left)")
        }
    }

    @Test func `a peer that has left is not offered`() throws {
        var names = try Self.names()
        names.record(.event(.peer(.left, try Sample.who("quiet-otter", byte: 1), online: 0)))
        #expect(names.completion(of: "qui")?.candidates == [])
    }
}
