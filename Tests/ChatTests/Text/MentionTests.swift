import Testing

@testable import Chat

@Suite struct MentionTests {
    static func isIn(_ text: String, _ nickname: String) -> Bool {
        Mention(nickname: nickname, number: 4_821, suffix: 3_377).isIn(text)
    }

    @Test(
        arguments: [
            "민수야", "민수님", "민수씨", "민수는", "민수가", "민수한테", "@민수님", "민수", "안녕 민수님, 어때", "민수님한테 물어봐", "민수ㅋㅋ", "민수?",
            "ok민수", "민수 san", "민수さん", "민수이가", "회의는@민수", "(민수)", "민수에게도",
        ])
    func `particles and honorifics may follow a Hangul name`(text: String) {
        #expect(Self.isIn(text, "민수"))
    }

    @Test(arguments: ["박민수", "민수진", "민수2", "민수가방", "우리민수", "철수야", "민 수", "http://x/민수", "민수@example.org", ""])
    func `another Hangul name is none`(text: String) { #expect(!Self.isIn(text, "민수")) }

    @Test(
        arguments: [
            "ada는", "ada님", "adaさん", "ada様", "ADA!", "hi ada", "@ada", "@Ada님", "안녕ada", "ada's turn", "ada.",
            "ada: yes",
            "«ada»", "bob/ada: look", "- ada", "ada, bob@example.org", "#4821", "#4821-3377?", "see #4821님",
        ])
    func `a change of script ends a name`(text: String) { #expect(Self.isIn(text, "ada")) }

    @Test(
        arguments: [
            "ada@example.org", "http://x/ada", "ada-lovelace", "adam", "nada", "ada2", "2ada", "bob@ada.org", "x-ada",
            "ada_x", "ada.org", "www.ada", "ada+list@example.org", "ada.l@example.org", "x.org/ada", "#48210", "4821",
            "#4821-9999", "#4821-33771", "x#4821",
        ])
    func `a part of a word, an address or a path is none`(text: String) { #expect(!Self.isIn(text, "ada")) }

    @Test func `names in Han and Kana take their honorifics`() {
        #expect(Self.isIn("太郎様、", "太郎") && Self.isIn("太郎さん", "太郎") && Self.isIn("さくらさんは", "さくら"))
        #expect(!Self.isIn("太郎丸", "太郎") && !Self.isIn("さくらんぼ", "さくら"))
    }

    @Test func `each place is found, without its particle`() {
        let text = "@민수님 #4821 민수야"
        let mention = Mention(nickname: "민수", number: 4_821, suffix: 3_377)
        #expect(mention.ranges(in: text).map { String(text[$0]) } == ["민수", "#4821", "민수"])
        #expect(!Self.isIn("anything", "") && Self.isIn("hi 🦊!", "🦊") && Self.isIn("min\u{301}a", "mińa"))
    }

    @Test(arguments: ["ada", "a", "a_b"])
    func `a name and a number are found at every place of a text`(nickname: String) {
        for place in 0..<40 {
            for rest in ["", " ", " and some more words"] {
                let front = String(repeating: "x ", count: place / 2) + String(repeating: " ", count: place % 2)
                #expect(Self.isIn(front + nickname.uppercased() + rest, nickname))
                #expect(Self.isIn(front + "#4821" + rest, nickname))
                #expect(!Self.isIn(front + "#482" + rest, nickname))
            }
        }
    }
}
