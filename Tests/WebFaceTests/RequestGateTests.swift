import Chat
import Commands
import Hub
import Model
import Rendering
import TestSupport
import Testing
import Wire

@testable import WebFace

@Suite struct RequestGateTests {
    private let gate = RequestGate(port: 4_807, token: WebToken())

    private var head: RequestHead {
        var head = RequestHead()
        (head.host, head.hostCount) = ("127.0.0.1:4807", 1)
        head.authorization = "Bearer \(gate.token.text)"
        return head
    }

    private func status(isFull: Bool = false, isOpen: Bool = false, _ change: (inout RequestHead) -> Void) -> Int? {
        var head = head
        change(&head)
        return gate.refusal(of: head, isFull: isFull, isOpen: isOpen)?.status
    }

    @Test func `a request of this machine with the token passes`() {
        #expect(status { _ in } == nil)
        #expect(status { $0.host = "LOCALHOST:4807" } == nil)
        #expect(status { $0.origin = "http://[::1]:4807" } == nil)
        #expect(status { ($0.authorization, $0.protocols) = (nil, ["earshot.v1", "t.\(gate.token.text)"]) } == nil)
        #expect(status(isOpen: true) { $0.authorization = nil } == nil)
        #expect(status { ($0.contentLengths, $0.contentType) = (["2"], "Application/JSON ; charset=utf-8") } == nil)
    }

    @Test(arguments: [nil, "", "evil.example", "127.0.0.1", "127.0.0.1:4808", "127.0.0.1:4807, evil.example"])
    func `another host is refused before all else`(host: String?) {
        let status = status(isFull: true) { head in
            (head.host, head.origin, head.authorization) = (host, "http://evil.example", nil)
        }
        #expect(status == 421)
    }

    @Test(arguments: ["http://evil.example", "null", "https://127.0.0.1:4807", "http://127.0.0.1:4807/", ""])
    func `another origin is refused, with the token too`(origin: String) {
        #expect(status { $0.origin = origin } == 403)
    }

    @Test func `a page of another site loads nothing but the page itself`() {
        for (path, site, expected) in [
            ("/main.js", "cross-site", 403), ("/api/v1/me", "same-site", 403), ("/api/v1/me", "", 403),
            ("/", "cross-site", nil), ("/main.js", "same-origin", nil), ("/api/v1/me", "none", nil),
        ] {
            #expect(status { ($0.path, $0.site) = (path, site) } == expected, "\(path) \(site)")
        }
    }

    @Test(arguments: [true, false])
    func `a refused request is performed again for its key, a performed one is not`(isCard: Bool) async throws {
        var answers = IdempotentAnswers()
        let (key, start) = (Array("a".utf8), Instant(nanoseconds: 0))
        let who = try Sample.who()
        let said =
            isCard ? Said.card(try Sample.card(by: who), .lobby) : .message(try Sample.said("hi", by: who), .lobby)
        let refusal = RouteFault(429, "too_fast", "too fast")
        let first = answers.answer(key, [1], at: start) { Task { .failure(refusal) } }
        #expect(await status(of: first) == 429)
        answers.forget(key)
        let second = answers.answer(key, [1], at: start + .seconds(1)) { Task { .success(said) } }
        #expect(await status(of: second, said) == 201)
        for isUnderWay in [true, false] {
            let again = answers.answer(key, [1], at: start + .seconds(599)) { Task { .failure(refusal) } }
            #expect(await status(of: again, said) == 201)
            if isUnderWay { answers.record(said, for: key) }
        }
        let other = answers.answer(key, [2], at: start + .seconds(600)) { Task { .failure(refusal) } }
        guard case .other = other else { return #expect(Bool(false), "another request got the answer of the first") }
        let expired = answers.answer(key, [1], at: start + .seconds(602)) { Task { .failure(refusal) } }
        #expect(await status(of: expired) == 429)
    }

    /// The status of the answer that a request gets; nil for another request.
    ///
    /// - Parameter said: the message or card of the request.
    private func status(of known: IdempotentAnswers.Known, _ said: Said? = nil) async -> Int? {
        switch known {
        case .other: return nil
        case .said(let place):
            #expect(place == said?.place)
            return 201
        case .asked(let task):
            switch await task.value {
            case .success(let said): return said.answer.status
            case .failure(let fault): return fault.status
            }
        }
    }

    @Test func `a message or a card is as the chat has it now, and gone with it`() throws {
        var model = ChatModel()
        let moment = Moment(instant: Instant(nanoseconds: 0), wallClock: Sample.time)
        let (who, other) = (try Sample.who(), RoomLabel(number: 2, name: "kitchen"))
        let (message, card) = (try Sample.said("hi", by: who), try Sample.card(by: who))
        for event in [NodeEvent.message(message), .card(card)] { _ = model.reduce(.event(event), at: moment) }
        let all = [Said.message(message, .lobby), .card(card, .lobby)]
        #expect(all.map { model.said(at: $0.place)?.place } == all.map(\.place))
        #expect(all.allSatisfy { $0.answer.status == 201 })
        #expect(model.said(at: Said.card(card, other).place) == nil)
        #expect(model.said(at: .card(message.id, room: 1)) == nil)
        for event in [NodeEvent.deleted(message), .cardRemoved(card, .removed)] {
            _ = model.reduce(.event(event), at: moment)
        }
        #expect(all.allSatisfy { model.said(at: $0.place) == nil })
    }

    @Test func `a wrong token is refused, also where the right one is an offered protocol`() {
        for wrong in [nil, "", "Bearer ", "Bearer \(gate.token.text)0", "bearer \(gate.token.text.dropLast())"] {
            #expect(status { $0.authorization = wrong } == 401)
        }
        #expect(status { ($0.authorization, $0.protocols) = ("Bearer x", ["t.\(gate.token.text)"]) } == 401)
        #expect(status { ($0.authorization, $0.protocols) = (nil, [gate.token.text]) } == 401)
        #expect(gate.token.text.count == 32)
        #expect(WebToken() != gate.token)
    }

    @Test func `sizes and bodies are bounded`() {
        #expect(status(isFull: true) { _ in } == 503)
        #expect(status { $0.size = 8_193 } == 431)
        #expect(status { ($0.contentLengths, $0.contentType) = (["16385"], "application/json") } == 413)
        #expect(status { $0.contentLengths = ["5"] } == 415)
        #expect(status { ($0.contentLengths, $0.contentType) = (["5"], "text/plain") } == 415)
        #expect(status { $0.contentLengths = ["5", "5"] } == 400)
        for length in ["-1", "+5", "0x5", "", "99999999999999999999"] {
            #expect(status { $0.contentLengths = [length] } == 400)
        }
        #expect(status { $0.hasTransferEncoding = true } == 411)
        #expect(status { ($0.hasTransferEncoding, $0.contentLengths) = (true, ["5"]) } == 400)
    }

    @Test func `the description has every route, and each route answers its own path alone`() throws {
        let description = try JSONValue(parsing: OpenAPI.bytes)
        for route in Route.all {
            #expect(
                description["paths"]?[route.path]?[route.method.lowercased()]?["operationId"]?.string == route.operation
            )
            #expect(route.parameters(of: route.path) != nil)
            #expect(route.parameters(of: route.path + "/") == nil)
            #expect(route.parameters(of: route.path + "/x") == nil)
        }
        #expect(Set(Route.all.map(\.operation)).count == Route.all.count)
    }
}
