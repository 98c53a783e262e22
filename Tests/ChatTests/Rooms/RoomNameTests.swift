import Testing

@testable import Chat

struct RoomNameTests {
    @Test(arguments: [
        "b", "방", "kitchen", "the big room", String(repeating: "방", count: 64), String(repeating: "x", count: 64),
    ])
    func `a room name has 1 to 64 characters`(name: String) throws {
        #expect(try RoomName.compose(name) == name)
    }

    @Test(arguments: [
        ("", "room name is empty; 1 character is the least"), ("  ", "room name is empty; 1 character is the least"),
        (String(repeating: "방", count: 65), "room name is 65 characters; 64 is the most"),
        (String(repeating: "x", count: 257), "room name is 257 bytes; 256 is the most"),
        ("a\nb", "room name has a control character or a line break; it takes one line of text"),
        ("a" + String(repeating: "\u{301}", count: 13), "room name has a character of 13 scalars; 12 is the most"),
    ])
    func `any other name is refused with its rule`(name: String, message: String) {
        let error = #expect(throws: ChatError.self) { try RoomName.compose(name) }
        #expect(error?.code == (name.allSatisfy(\.isWhitespace) ? .empty : .invalidRoom))
        #expect(error?.message == message)
    }

    @Test func `a name is trimmed and normalized`() throws {
        #expect(Array(try RoomName.compose(" cafe\u{301} ").utf8) == Array("caf\u{e9}".utf8))
    }
}
