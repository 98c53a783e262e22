import Phrases
import Reactor
import Testing

@testable import WebFace

@Suite struct BrowserChoiceTests {
    private let place = "/run/user/1000/earshot/control.web.html"

    private func commands(_ environment: [String: String], isOfOneUser: Bool = true) throws -> [[String]] {
        try BrowserChoice(opening: place, isOfOneUser: isOfOneUser) { environment[$0] }.commands
    }

    @Test func `a screen has the desktop's own program`() throws {
        #expect(try commands(["DISPLAY": ":0"]) == [["xdg-open", place]])
        #expect(try commands(["WAYLAND_DISPLAY": "wayland-0"]) == [["xdg-open", place]])
    }

    @Test func `the user's own list of browsers wins, in its order`() throws {
        #expect(
            try commands(["BROWSER": "one: :two --new %s :three --quiet", "DISPLAY": ":0"])
                == [["one", place], ["two", "--new", place], ["three", "--quiet", place]])
        #expect(
            try commands(["BROWSER": #""/opt/my browser/run" --app=%s:'two'\ words "a:b \"c\"" '' --x=\"#])
                == [["/opt/my browser/run", "--app=\(place)"], ["two words", "a:b \"c\"", "", "--x=", place]])
        #expect(try commands(["BROWSER": ": :", "DISPLAY": ":0"]) == [["xdg-open", place]])
    }

    @Test func `without a screen, and with the rights of another user, none is started`() {
        #expect(throws: BrowserRefusal.noScreen) { try commands(["DISPLAY": ""]) }
        #expect(throws: BrowserRefusal.otherUser) { try commands(["BROWSER": "one"], isOfOneUser: false) }
    }

    @Test func `a program is run with its words, and its end is known`() throws {
        #expect(try SystemProgram.run(["true", "one"]) == 0)
        #expect(try SystemProgram.run(["sh", "-c", "test -c /dev/fd/1 && exit 7"]) == 7)
        #expect(try SystemProgram.run(["sh", "-c", "kill -TERM $$"]) == nil)
        #expect(throws: SystemError.self) { try SystemProgram.run(["no-such-program-is-here"]) }
    }

    @Test func `a client reads in the language that it wishes most`() {
        #expect(RequestHead.language(nil) == .english)
        #expect(RequestHead.language("de, fr;q=0.9") == .english)
        #expect(RequestHead.language("ko-KR,ko;q=0.9,en-US;q=0.8") == .korean)
        #expect(RequestHead.language("en-GB, ko;q=0.9") == .english)
        #expect(RequestHead.language("en;q=0.2, de, KO ; q=0.9") == .korean)
        #expect(RequestHead.language("ko;q=0") == .english)
    }
}
