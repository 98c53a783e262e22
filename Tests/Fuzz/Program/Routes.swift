import Hub
import Model
import Phrases
import Rendering
import Wire

@testable import WebFace

extension FuzzTarget {
    /// A request is refused, or its parameters are those of its path.
    static let routes = FuzzTarget(name: "routes", seeds: RequestRules.seeds) { input in
        let lines = input.split(separator: 0x0a, maxSplits: 8, omittingEmptySubsequences: false)
        let texts = lines.map { String(decoding: $0, as: UTF8.self) }
        var head = RequestHead()
        head.method = texts[0]
        head.path = texts.count > 1 ? texts[1] : "/"
        head.query = texts.count > 2 ? texts[2].split(separator: "&").map(String.init) : []
        head.host = texts.count > 3 ? texts[3] : nil
        head.hostCount = texts.count > 3 ? 1 : 0
        head.origin = texts.count > 4 && !texts[4].isEmpty ? texts[4] : nil
        head.authorization = texts.count > 5 ? texts[5] : nil
        head.contentLengths = texts.count > 6 ? texts[6].split(separator: " ").map(String.init) : []
        head.contentType = texts.count > 7 ? texts[7] : nil
        RequestRules.check(head, texts.count > 8 ? Array(lines[8]) : [])
    }
}

/// Requests, and the properties of their checks.
enum RequestRules {
    private static let gate = RequestGate(port: 4_807, token: WebToken())

    static func seeds() -> [[UInt8]] {
        let fields = "\n127.0.0.1:4807\nhttp://127.0.0.1:4807\nBearer \(gate.token.text)\n20\napplication/json\n"
        let id = String(repeating: "0a", count: 16)
        return [
            "GET\n/api/v1/conversations/r1/messages\nlimit=7&before=\(id)" + fields,
            "POST\n/api/v1/conversations/r1-\(id)\(id)/messages\n" + fields + #"{"text":"hello"}"#,
            "PUT\n/api/v1/rooms/r1/people/\(id)\(id)/mute\n" + fields,
            "POST\n/api/v1/commands\n" + fields + #"{"line":"/who"}"#,
            "POST\n/api/v1/conversations/r1/messages\n" + fields + #"{"text":"hello","replyTo":"\#(id)"}"#,
            "PUT\n/api/v1/conversations/r1/messages/\(id)/reactions\n" + fields + #"{"emoji":"👍","on":true}"#,
            "GET\n/api/v1/conversations/r1/messages/\(id)/reactions\n" + fields,
            "POST\n/api/v1/rooms/r1/board\n" + fields + #"{"title":"lost","text":"a hat","cardColor":"red"}"#,
            "DELETE\n/api/v1/rooms/r1/board/\(id)\n" + fields,
        ].map { Array($0.utf8) }
    }

    static func check(_ head: RequestHead, _ body: [UInt8]) {
        if let refusal = gate.refusal(of: head, isFull: false, isOpen: false) {
            demand(refusal.closes && (400...503).contains(refusal.status), "a refusal that leaves the connection open")
            demand((try? JSONValue(parsing: refusal.body)) != nil, "a refusal that is no JSON")
        } else {
            let given = head.authorization?.split(separator: " ").last
            demand(given == gate.token.text[...], "a request without the token")
        }
        for route in Route.all {
            guard let parameters = route.parameters(of: head.path) else { continue }
            demand(parameters.values.allSatisfy { !$0.contains("/") }, "a parameter of two segments")
            do throws(RouteFault) {
                let call = try RouteCall(head, parameters, route, body)
                _ = try call.cursor("before")
                if let id = try call.replyTo() {
                    let given = call.body["replyTo"]?.string
                    demand(given?.lowercased() == id.hexadecimal, "an answer to another message")
                }
                if let text = parameters["message"] {
                    demand(try call.message().hexadecimal == text.lowercased(), "another message than that of the path")
                }
                _ = try call.text("text")
            } catch {
                for language in Language.allCases {
                    let problem = error.answer(in: language).body
                    demand((try? JSONValue(parsing: problem)) != nil, "a problem that is no JSON")
                }
            }
        }
        for segment in head.path.split(separator: "/") {
            guard let id = ConversationID(String(segment)) else { continue }
            demand(ConversationID("\(id)") == id, "a conversation of another name")
        }
    }
}
