import Noise
import Phrases
import Testing
import Wire

@testable import Chat

struct NicknameTests {
    static func accept(_ name: String) throws -> String { try Nickname.accept(Array(name.utf8).span) }

    @Test(arguments: ["b", "quiet-otter", "조용한 수달", "😀😀", String(repeating: "😀", count: 24)])
    func `a nickname of 1 to 24 characters is accepted by both sides`(name: String) throws {
        #expect(try Nickname.compose(name) == name)
        #expect(try NicknameTests.accept(name) == name)
    }

    @Test(
        arguments: [
            ("", "nickname is empty; 1 character is the least"),
            ("  ", "nickname is empty; 1 character is the least"),
            (String(repeating: "x", count: 25), "nickname is 25 characters; 24 is the most"),
            (String(repeating: "x", count: 97), "nickname is 97 bytes; 96 is the most"),
            (String(repeating: "👍🏽", count: 13), "nickname is 104 bytes; 96 is the most"),
            ("a\nb", "nickname has a control character or a line break; it takes one line of text"),
            ("a\u{1b}[2J", "nickname has a control character or a line break; it takes one line of text"),
            ("a\u{2028}b", "nickname has a control character or a line break; it takes one line of text"),
            (
                "a" + String(repeating: "\u{301}", count: 13),
                "nickname has a character of 13 scalars; 12 is the most"
            ),
        ])
    func `any other nickname is refused with its rule`(name: String, message: String) {
        let error = #expect(throws: ChatError.self) { try Nickname.compose(name) }
        #expect(error?.code == (message.hasPrefix("nickname is empty") ? .empty : .invalidNickname))
        #expect(error?.message == message)
        #expect(throws: PayloadError.nickname) { try NicknameTests.accept(name) }
    }

    @Test func `a nickname is trimmed and normalized by its owner alone`() throws {
        #expect(Array(try Nickname.compose(" Jose\u{301} ").utf8) == Array("Jos\u{e9}".utf8))
        #expect(throws: PayloadError.nickname) { try NicknameTests.accept(" Jos\u{e9}") }
        #expect(Array(try NicknameTests.accept("Jose\u{301}").utf8) == Array("Jose\u{301}".utf8))
    }

    @Test(arguments: ["x", "at lunch", String(repeating: "점", count: 80)])
    func `a reason of 1 to 80 characters is accepted by both sides`(reason: String) throws {
        #expect(try AwayReason.compose(" \(reason) ") == reason)
        #expect(try AwayReason.accept(Array(reason.utf8).span) == reason)
    }

    @Test(
        arguments: [
            (String(repeating: "x", count: 81), "reason is 81 characters; 80 is the most"),
            (String(repeating: "😀", count: 64), "reason is 256 bytes; 255 is the most"),
            ("a\u{7}b", "reason has a control character or a line break; it takes one line of text"),
        ])
    func `any other reason is refused with its rule`(reason: String, message: String) {
        let error = #expect(throws: ChatError.self) { try AwayReason.compose(reason) }
        #expect(error?.code == .invalidReason)
        #expect(error?.message == message)
        #expect(throws: PayloadError.reason) { try AwayReason.accept(Array(reason.utf8).span) }
    }

    @Test func `a random nickname obeys the rules and is repeated by its seed`() throws {
        #expect(Set(Nickname.adjectives).count == 64)
        #expect(Set(Nickname.animals).count == 64)
        var drawn: Set<String> = []
        var randomness = Randomness.seeded(5)
        for _ in 0..<200 {
            let name = Nickname.random(using: &randomness)
            #expect(try Nickname.compose(name) == name)
            drawn.insert(name)
        }
        #expect(drawn.count > 150)
        var again = Randomness.seeded(5)
        #expect(drawn.contains(Nickname.random(using: &again)))
    }
}
