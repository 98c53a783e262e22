import Hub
import Model
import Phrases
import Rendering
import Wire

@testable import WebFace

extension FuzzTarget {
    /// A request is refused, or its parameters are those of its path; its head is the same in any pieces.
    static let routes = FuzzTarget(name: "routes", seeds: RequestRules.seeds) { input in
        RequestRules.checkStart(input)
        let end = RequestRules.end(of: input)
        RequestRules.check(RequestRules.head(input[..<end]), Array(input[end...]))
    }
}

/// Requests, and the properties of their checks.
enum RequestRules {
    private static let gate = RequestGate(port: 4_807, token: GatewayRules.fixedToken)

    static func seeds() -> [[UInt8]] {
        let id = String(repeating: "0a", count: 16)
        let bodies = [
            "", "{}", #"{"text":"hello","replyTo":"\#(id)","emoji":"👍","on":true,"members":{"a":1},"line":"/who"}"#,
        ]
        let every = Route.all.map { route in
            let path = route.path.split(separator: "/").map {
                ["{message}": id, "{peer}": id + id, "{conversation}": "r1"]["\($0)"]
                    ?? ($0.first == "{" ? "r1" : "\($0)")
            }
            let query = route.query.map { "\($0.name)=\($0.name == "limit" ? "7" : id)" }.joined(separator: "&")
            let body = route.body == nil ? "" : bodies[2]
            return request("\(route.method) /\(path.joined(separator: "/"))?\(query)", fields, body)
        }
        return (every + oddities(fields, bodies[2])).map { Array($0.utf8) }
    }

    private static var fields: [String] {
        [
            "Host: 127.0.0.1:4807", "Origin: http://127.0.0.1:4807", "Authorization: Bearer \(gate.token.text)",
            "Content-Type: application/json",
        ]
    }

    /// Requests that something is wrong with, each in its way.
    private static func oddities(_ fields: [String], _ body: String) -> [String] {
        let start = "POST /api/v1/commands"
        let further = [
            "Sec-Fetch-Site: cross-site", "Transfer-Encoding: chunked", "Content-Encoding: gzip", "Host: x",
            "Content-Length: 9",
            "Content-Length: 99999", "Idempotency-Key: a\r\nIdempotency-Key: a", "Accept-Language: ko;q=0.9, en;q=0.1",
            "X: \(String(repeating: "x", count: 4_000))\r\nY: \(String(repeating: "y", count: 4_300))", "no colon",
            "a b: c", ": c",
        ].map { request(start, fields + [$0], body) }
        let without = fields.indices.map { index in
            request(start, fields.enumerated().filter { $0.offset != index }.map(\.element), body)
        }
        let protocols = "Sec-WebSocket-Protocol: r.1, t.\(gate.token.text)"
        return further + without + [
            request(start, ["Host: LocalHost:4807", protocols], body),
            request("GET /", [fields[0], "Sec-Fetch-Site: none"], ""),
            request(start, fields, "[]"), request(start, fields, "no"), request("\(start)?a=b&a=c", fields, body),
            request("GET /api/v1/conversations/r1/messages?before=x&before=y", fields, ""),
            request(
                "PUT /api/v1/conversations/r1/messages/zz/reactions", fields,
                #"{"text":1,"on":"x","members":2,"replyTo":3}"#),
            request("POST /api/v1/conversations/r1/messages", fields, #"{"text":"x","replyTo":null}"#),
            request("PATCH /api/v1/nothing", fields, ""), request("GET http://127.0.0.1:4807/api/v1/rooms", fields, ""),
            request("GET HTTP://localhost:4807?limit=1", fields, ""), request("GET http://example.org/", fields, ""),
            request("GET http://127", fields, ""), "\r\n\nGET / HTTP/1.1\nHost: x\n\nrest", "GET / HTTP/2\r\n\r\n",
            "GET / FTP/1.1\r\n", "GET",
            "\rGET", "GET / HTTP/1.1\r\rHost", "GET / HTTP/1.1\r\nHost: x\r\n\rx", "G\u{e9}T / HTTP/1.1\r\n\r\n",
            "GET\n", "0123456789abcdefgh /",
            "GET http:/", "GET http://\(String(repeating: "h", count: 40))", "GET / HTTP/1.1\r\nHost: a\0b\r\n\r\n",
        ]
    }

    private static func request(_ start: String, _ fields: [String], _ body: String) -> String {
        let length = body.isEmpty ? [] : ["Content-Length: \(body.utf8.count)"]
        return "\(start) HTTP/1.1\r\n" + (fields + length).map { "\($0)\r\n" }.joined() + "\r\n" + body
    }

    /// Where the head of a request ends.
    static func end(of input: [UInt8]) -> Int {
        for index in input.indices where input[index] == 0x0a {
            let line = input[(index + 1)...].prefix(2)
            if line.first == 0x0a { return index + 2 }
            if line.elementsEqual([0x0d, 0x0a]) { return index + 3 }
        }
        return input.count
    }

    /// The head as the library reads it, with every field that the checks look at.
    static func head(_ bytes: ArraySlice<UInt8>) -> RequestHead {
        let lines = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline).map(String.init)
        let words = (lines.first ?? "").split(separator: " ").map(String.init)
        let target = (words.count > 1 ? words[1] : "/").split(separator: "?", maxSplits: 1).map(String.init)
        let fields = lines.dropFirst().compactMap { line -> (name: String, value: String)? in
            let parts = line.split(separator: ":", maxSplits: 1).map(String.init)
            return parts.count == 2 ? (parts[0].lowercased(), String(parts[1].drop { $0 == " " })) : nil
        }
        let first = { (name: String) in fields.first { $0.name == name }?.value }
        var head = RequestHead()
        (head.method, head.path) = (words.first ?? "GET", target.first ?? "/")
        head.query = target.count > 1 ? target[1].split(separator: "&").map(String.init) : []
        (head.host, head.hostCount) = (first("host"), fields.count { $0.name == "host" })
        (head.origin, head.site) = (first("origin"), first("sec-fetch-site"))
        head.authorization = first("authorization")
        (head.contentType, head.contentEncoding) = (first("content-type"), first("content-encoding"))
        head.contentLengths = fields.filter { $0.name == "content-length" }.map(\.value)
        head.hasTransferEncoding = first("transfer-encoding") != nil
        head.hasVersion = words.last?.hasPrefix("HTTP/1.") ?? false
        head.size = fields.reduce(0) { $0 + $1.value.utf8.count }
        head.protocols = RequestHead.list(first("sec-websocket-protocol"))
        head.language = RequestHead.language(first("accept-language"))
        return head
    }

    /// The first bytes of a connection are judged once, however they come, and a target in absolute form is one of this server.
    static func checkStart(_ input: [UInt8]) {
        var (whole, single) = (RequestStart(), RequestStart())
        let reading = whole.read(input)
        let parts = input.lazy.map { single.read([$0]) }.first { $0 != .unknown } ?? .unknown
        demand(parts == reading, "a head is another one in pieces")
        if reading == .whole { demand(!input.prefix(end(of: input)).contains(0), "a head with a NUL") }
        if let path = RequestTarget.path(of: input) {
            demand(path.utf8.first == 0x2f && !path.contains("?"), "an odd path")
        }
        switch RequestTarget(hosts: gate.hosts).reading(of: input) {
        case .unknown: demand(input.count < 64, "a start that stays unknown")
        case .plain: break
        case .absolute(let end, let replacement):
            demand(end <= input.count && [0x2f, 0x20].contains(replacement.last), "a target that ends elsewhere")
        }
    }

    static func check(_ head: RequestHead, _ body: [UInt8]) {
        for (isOpen, isText) in [(false, false), (Route.isOpen(head.path), true)] {
            guard let refusal = gate.refusal(of: head, isFull: head.method == "FULL", isOpen: isOpen, isText: isText)
            else {
                demand(isOpen || isAuthorized(head), "a request without the token")
                continue
            }
            demand(refusal.closes && (400...503).contains(refusal.status), "a refusal that leaves the connection open")
            checkProblem(refusal)
        }
        checkProblem(RequestGate.badHead)
        checkProblem(Route.refusal(ofMethodAt: head.path))
        for route in Route.all {
            guard let parameters = route.parameters(of: head.path) else { continue }
            demand(parameters.values.allSatisfy { !$0.contains("/") }, "a parameter of two segments")
            check(head, body, parameters, route)
        }
        for segment in head.path.split(separator: "/") {
            guard let id = ConversationID(String(segment)) else { continue }
            demand(ConversationID("\(id)") == id, "a conversation of another name")
        }
    }

    private static func isAuthorized(_ head: RequestHead) -> Bool {
        let given = head.authorization?.split(separator: " ", maxSplits: 1).last?.filter { $0 != " " && $0 != "\t" }
        return given == gate.token.text || head.protocols.contains("t.\(gate.token.text)")
    }

    private static func checkProblem(_ answer: WebAnswer) {
        demand((try? JSONValue(parsing: answer.body)) != nil, "a problem that is no JSON")
    }

    /// Reads all that routes read of a request, each for itself, as one may be refused where another one is not.
    private static func check(_ head: RequestHead, _ body: [UInt8], _ parameters: [String: String], _ route: Route) {
        for which in 0..<7 {
            do throws(RouteFault) { try read(which, of: try RouteCall(head, parameters, route, body)) } catch {
                for language in Language.allCases { checkProblem(error.answer(in: language)) }
            }
        }
    }

    private static func read(_ which: Int, of call: RouteCall) throws(RouteFault) {
        switch which {
        case 0: _ = try call.cursor("before")
        case 1:
            guard let id = try call.replyTo() else { return }
            demand(call.body["replyTo"]?.string?.lowercased() == id.hexadecimal, "an answer to another message")
        case 2:
            let id = try call.message().hexadecimal
            demand(id == call.parameters["message"]?.lowercased(), "another message than that of the path")
        case 3:
            let text = try call.text("text")
            demand(text == call.body["text"]?.string, "another text")
        case 4:
            let flag = try call.flag("on")
            demand(flag == call.body["on"]?.bool, "another flag")
        case 5: _ = try call.members("members")
        default: try call.only("text", "replyTo")
        }
    }
}
