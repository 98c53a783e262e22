import Testing

@testable import Phrases

@Suite struct PhraseTests {
    @Test(arguments: [
        ("ko_KR.UTF-8", Language.korean), ("ko", .korean), ("ko_KR", .korean), ("ko_KR.eucKR", .english),
        ("C.UTF-8", .english),
        ("kok_IN", .english), ("", .english),
    ])
    func `the locale names the language`(locale: String, language: Language) {
        #expect(Language(locale: locale) == language)
    }

    @Test func `the first of three variables that is not empty counts`() {
        let variables = ["LC_ALL": "", "LC_MESSAGES": "ko_KR.UTF-8", "LANG": "C"]
        #expect(Language { variables[$0] } == .korean)
        #expect(Language { _ in nil } == .english)
    }

    @Test func `arguments take their places as they are, and a count selects a form`() {
        #expect(Language.english(.messages, "1") == "1 message")
        #expect(Language.english(.messages, "2") == "2 messages")
        #expect(Language.english(.linesWait, "1") == "1 line waits, Esc drops it")
        #expect(Language.korean(.messages, "2") == "메시지 2개")
        #expect(Language.english(.peerRenamed, "%2{a|b}", "%1") == "%2{a|b} is now %1")
        #expect(Language.english(.peerRenamed, "a") == "a is now ")
        #expect(
            Language.english(.setUnknown)
                == "/set knows cover on|off, and in a terminal joins on|off and stream one|all")
    }
}
