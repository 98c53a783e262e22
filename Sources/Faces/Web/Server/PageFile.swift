import Noise
import Wire

/// A file of the page, which is embedded in the program.
struct PageFile: Sendable {
    private static let all: [String: PageFile] = {
        let image = "image/svg+xml"
        return [
            "/": PageFile("text/html; charset=utf-8", PackageResources.index_html),
            "/style.css": PageFile("text/css; charset=utf-8", PackageResources.style_css),
            "/above.css": PageFile("text/css; charset=utf-8", PackageResources.above_css),
            "/icon.svg": PageFile(image, PackageResources.icon_svg),
            "/icon-unread.svg": PageFile(image, PackageResources.icon_unread_svg),
            "/api.js": PageFile(script: PackageResources.api_js),
            "/avatar.js": PageFile(script: PackageResources.avatar_js),
            "/board.js": PageFile(script: PackageResources.board_js),
            "/closed.js": PageFile(script: PackageResources.closed_js),
            "/code.js": PageFile(script: PackageResources.code_js),
            "/commands.js": PageFile(script: PackageResources.commands_js),
            "/composer.js": PageFile(script: PackageResources.composer_js),
            "/connection.js": PageFile(script: PackageResources.connection_js),
            "/dialogs.js": PageFile(script: PackageResources.dialogs_js),
            "/elements.js": PageFile(script: PackageResources.elements_js),
            "/emoji.js": PageFile(script: PackageResources.emoji_js),
            "/english.js": PageFile(script: PackageResources.english_js),
            "/english-above.js": PageFile(script: PackageResources.english_above_js),
            "/entrance.js": PageFile(script: PackageResources.entrance_js),
            "/kept.js": PageFile(script: PackageResources.kept_js),
            "/keys.js": PageFile(script: PackageResources.keys_js),
            "/korean.js": PageFile(script: PackageResources.korean_js),
            "/korean-above.js": PageFile(script: PackageResources.korean_above_js),
            "/language.js": PageFile(script: PackageResources.language_js),
            "/later.js": PageFile(script: PackageResources.later_js),
            "/log.js": PageFile(script: PackageResources.log_js),
            "/main.js": PageFile(script: PackageResources.main_js),
            "/menu.js": PageFile(script: PackageResources.menu_js),
            "/messages.js": PageFile(script: PackageResources.messages_js),
            "/model.js": PageFile(script: PackageResources.model_js),
            "/notices.js": PageFile(script: PackageResources.notices_js),
            "/offers.js": PageFile(script: PackageResources.offers_js),
            "/outbox.js": PageFile(script: PackageResources.outbox_js),
            "/people.js": PageFile(script: PackageResources.people_js),
            "/press.js": PageFile(script: PackageResources.press_js),
            "/requests.js": PageFile(script: PackageResources.requests_js),
            "/reveal.js": PageFile(script: PackageResources.reveal_js),
            "/richtext.js": PageFile(script: PackageResources.richtext_js),
            "/rooms.js": PageFile(script: PackageResources.rooms_js),
            "/screen.js": PageFile(script: PackageResources.screen_js),
            "/search.js": PageFile(script: PackageResources.search_js),
            "/several.js": PageFile(script: PackageResources.several_js),
            "/side.js": PageFile(script: PackageResources.side_js),
            "/smalltalk.js": PageFile(script: PackageResources.smalltalk_js),
            "/sound.js": PageFile(script: PackageResources.sound_js),
            "/strings.js": PageFile(script: PackageResources.strings_js),
            "/text.js": PageFile(script: PackageResources.text_js),
            "/welcome.js": PageFile(script: PackageResources.welcome_js),
        ]
    }()

    private let type: String
    private let bytes: [UInt8]
    /// Changes with the content (RFC 9110 section 8.8.3).
    private let entityTag: String

    private init(_ type: String, _ bytes: [UInt8]) {
        (self.type, self.bytes) = (type, bytes)
        entityTag = "\"\(Hexadecimal.encode(SHA256.hash(bytes.span).prefix(8)))\""
    }

    /// A script without the lines that are comments: they are a fifth of a first load, and a browser needs none.
    private init(script: [UInt8]) {
        let lines = script.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        let code = lines.filter { !$0.drop { $0 == UInt8(ascii: " ") }.starts(with: "//".utf8) }
        self.init("text/javascript; charset=utf-8", Array(code.joined(separator: [UInt8(ascii: "\n")])))
    }

    /// The file of a path; nil for another path.
    static func named(_ path: String) -> PageFile? { all[path] }

    func answer(to head: RequestHead) -> WebAnswer {
        guard head.method == "GET" || head.method == "HEAD" else {
            var answer = WebAnswer.problem(405, "wrong_method", "another method is needed")
            answer.headers["allow"] = "GET, HEAD"
            return answer
        }
        let headers = ["etag": entityTag, "cache-control": "no-cache"]
        // The comparison is weak (RFC 9110 section 13.1.2).
        let isKnown = head.entityTags.contains { $0 == "*" || $0 == entityTag || $0 == "W/" + entityTag }
        if isKnown { return WebAnswer(status: 304, headers: headers) }
        return WebAnswer(status: 200, type: type, headers: headers, body: bytes)
    }
}
