import Testing

@testable import Chat

/// A text of which nothing can be seen is empty, for both sides.
@Suite struct VisibilityTests {
    static let blank = [
        "\u{200b}", "\u{2800}", "\u{3164}", "\u{115f}", "\u{1160}", "\u{ffa0}", "\u{feff}", "\u{e0041}", "\u{fff0}",
        "\u{202e}", "\u{ad}", "\u{200d}\u{fe0f}", "\u{2800} \u{2800}", "\u{301}", "\u{13441}", "\u{1d159}", "\u{7}",
    ]

    @Test(arguments: blank)
    func `a text of which nothing can be seen is refused by both sides`(text: String) {
        let error = #expect(throws: ChatError.self) { try Text.compose(text) }
        #expect(error?.code == .empty)
        #expect(throws: PayloadError.text(.empty)) { try Text.accept(Array(text.utf8).span) }
    }

    @Test(arguments: blank)
    func `nor is it a nickname, a reason, a line about the user or a room`(text: String) {
        let composers: [(String) throws -> String] = [
            { try Nickname.compose($0) }, { try AwayReason.compose($0) }, { try AboutLine.compose($0) },
            { try RoomName.compose($0) },
        ]
        for compose in composers {
            let error = #expect(throws: ChatError.self) { try compose(text) }
            #expect(error?.code == .empty)
        }
        #expect(throws: PayloadError.nickname) { try Nickname.accept(Array(text.utf8).span) }
        #expect(throws: PayloadError.reason) { try AwayReason.accept(Array(text.utf8).span) }
        #expect(throws: PayloadError.about) { try AboutLine.accept(Array(text.utf8).span) }
        #expect(throws: PayloadError.malformed) { try RoomName.accept(Array(text.utf8).span) }
    }

    @Test(arguments: [".", "a\u{200b}", "ㅋ", "👍🏽", "\u{2801}", "\u{e000}", "\u{378}", "ा", "\u{600}", "\u{1f9ff}"])
    func `one visible scalar is a text, and so is one that a later Unicode may know`(text: String) throws {
        #expect(try Text.compose(text) == text)
        #expect(try Text.accept(Array(text.utf8).span) == text)
    }
}
