import Phrases
import Rendering
import Wire

/// One request of the API: routing and `openapi.json` are both read from the table of these.
struct Route: Sendable {
    typealias Perform = @Sendable (isolated WebServer, RouteCall) async throws(RouteFault) -> WebAnswer

    let method: String
    /// With parameters in braces (RFC 6570), each a whole segment.
    let path: String
    let operation: String
    let summary: String
    /// The schema of the body, as JSON; nil for none.
    var body: String?
    /// Parameters of the query: the name and the schema, as JSON.
    var query: [(name: String, schema: String)] = []
    /// The status of success with the schema of its body, as JSON; nil for no body.
    var success: (status: Int, schema: String?) = (200, Schema.object)
    var type = "application/json"
    /// Whether it needs no token.
    var isOpen = false
    let perform: Perform

    /// Whether a path has routes that need no token.
    static func isOpen(_ path: String) -> Bool { all.contains { $0.isOpen && $0.path == path } }

    private var segments: [Substring] { path.split(separator: "/") }

    /// The parameters of a path that fits; nil for another path.
    func parameters(of path: String) -> [String: String]? {
        let given = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        let wanted = segments
        guard given.count == wanted.count else { return nil }
        var parameters: [String: String] = [:]
        for (part, segment) in zip(given, wanted) {
            if segment.first == "{" {
                parameters[String(segment.dropFirst().dropLast())] = String(part)
            } else if part != segment {
                return nil
            }
        }
        return parameters
    }

    /// The routes of a path with their parameters; none for an unknown path.
    private static func routes(of path: String) -> [(Route, [String: String])] {
        let every = all.compactMap { route in route.parameters(of: path).map { (route, $0) } }
        // A segment that is written out goes before a parameter.
        let least = every.map(\.1.count).min()
        return every.filter { $0.1.count == least }
    }

    /// The answer to a method that no route of the path has.
    static func refusal(ofMethodAt path: String) -> WebAnswer {
        var methods = Set(routes(of: path).map(\.0.method))
        guard !methods.isEmpty else { return .problem(404, "not_found", "there is nothing of this name") }
        if methods.contains("GET") { methods.insert("HEAD") }
        var answer = WebAnswer.problem(405, "wrong_method", "another method is needed")
        answer.headers["allow"] = methods.sorted().joined(separator: ", ")
        return answer
    }

    /// Answers a request that passed the gate.
    static func answer(to head: RequestHead, _ body: [UInt8], on server: isolated WebServer) async -> WebAnswer {
        let fitting = routes(of: head.path)
        // HEAD is GET without the body, which is left out where the answer is written.
        let method = head.method == "HEAD" ? "GET" : head.method
        guard let (route, parameters) = fitting.first(where: { $0.0.method == method }) else {
            return refusal(ofMethodAt: head.path)
        }
        do throws(RouteFault) {
            let call = try RouteCall(head, parameters, route, body)
            return try await route.perform(server, call)
        } catch {
            return error.answer(in: head.language)
        }
    }
}

/// A request of a route, with its parameters.
struct RouteCall: Sendable {
    let head: RequestHead
    let parameters: [String: String]
    /// The members of the body; empty without one.
    let body: JSONValue
    let bytes: [UInt8]

    init(_ head: RequestHead, _ parameters: [String: String], _ route: Route, _ bytes: [UInt8]) throws(RouteFault) {
        (self.head, self.parameters, self.bytes) = (head, parameters, bytes)
        let names = route.query.map(\.name)
        var seen: Set<String> = []
        for part in head.query {
            let name = String(part.prefix { $0 != "=" })
            guard names.contains(name) else { throw RouteFault(400, "bad_query", "there is no parameter of this name") }
            guard seen.insert(name).inserted else { throw RouteFault(400, "bad_query", "\(name) comes twice") }
        }
        guard route.body != nil else {
            body = .object([:])
            return
        }
        do throws(JSONFault) { body = try JSONValue(parsing: bytes) } catch {
            throw RouteFault(400, "bad_json", error.rawValue)
        }
        guard case .object = body else { throw RouteFault(400, "bad_json", "a body is an object") }
    }

    /// A member of the body that is a string.
    func text(_ name: String) throws(RouteFault) -> String {
        guard let text = body[name]?.string else { throw RouteFault(422, "bad_member", "\(name) is a string") }
        return text
    }

    func flag(_ name: String) throws(RouteFault) -> Bool {
        guard let value = body[name]?.bool else { throw RouteFault(422, "bad_member", "\(name) is true or false") }
        return value
    }

    /// The id of the message that a text answers; nil for none.
    func replyTo() throws(RouteFault) -> MessageID? {
        guard let value = body["replyTo"], value != .null else { return nil }
        guard let id = value.string.flatMap({ MessageID(hexadecimal: $0) }) else {
            throw RouteFault(422, "bad_member", "replyTo is the id of a message")
        }
        return id
    }

    /// The message of a path.
    func message() throws(RouteFault) -> MessageID {
        guard let id = MessageID(hexadecimal: parameters["message"] ?? "") else {
            throw RouteFault(404, "unknown_message", "no such message")
        }
        return id
    }

    /// The members of a member that is an object; none without it.
    func members(_ name: String) throws(RouteFault) -> [JSONName: JSONValue] {
        guard let value = body[name] else { return [:] }
        guard case .object(let members) = value else { throw RouteFault(422, "bad_member", "\(name) is an object") }
        return members
    }

    /// Refuses a body with other members.
    func only(_ names: String...) throws(RouteFault) {
        let known = Set(names.map { JSONName($0) })
        guard case .object(let members) = body, known.isSuperset(of: members.keys) else {
            throw RouteFault(422, "bad_member", "the members of the body are \(names.joined(separator: ", "))")
        }
    }

    /// A parameter of the query that is a message's id; nil without it.
    func cursor(_ name: String) throws(RouteFault) -> MessageID? {
        guard let text = head.parameter(name) else { return nil }
        guard let id = MessageID(hexadecimal: text) else {
            throw RouteFault(400, "bad_query", "\(name) is the id of a message")
        }
        return id
    }
}

/// Why a request is not performed.
struct RouteFault: Error, Hashable, Sendable {
    let status: Int
    let code: String
    private let detail: String
    /// The refusal of a command, which people read in their language.
    private let sentence: Sentence?
    /// The line of input that was refused, as it may be shown; nil for another request.
    var line: String?

    init(_ status: Int, _ code: String, _ detail: String, _ sentence: Sentence? = nil) {
        (self.status, self.code, self.detail, self.sentence) = (status, code, detail, sentence)
    }

    func answer(in language: Language) -> WebAnswer {
        .problem(status, code, sentence?.text(in: language) ?? detail, line: line)
    }
}
