import Chat
import ChatNode
import Hub
import Phrases
import TestSupport
import Testing
import Wire

@testable import Commands
@testable import ControlFace
@testable import Rendering
@testable import Settings

/// Requests and answers of the control socket, as values.
@Suite struct ControlValueTests {
    private static let end = ClientEffect.send(ControlLines.end, of: nil)
    private static let now = Instant(nanoseconds: 0)

    private static func renderer() -> SharedRenderer {
        SharedRenderer(ControlRenderer(clock: { _ in "12:00:00" })) { Sample.time }
    }

    /// A session whose client has read the greeting.
    private static func greeted() -> ControlSession {
        var session = ControlSession(renderer())
        #expect(session.begin(at: now) == [.send(ControlLines.greeting, of: nil)])
        #expect(!session.isReading)
        #expect(session.written(at: now).isEmpty)
        return session
    }

    private static func asked(_ number: Int, _ text: String) -> [ClientEffect] {
        [.ask(number: number, .text(text), in: .open)]
    }

    @Test(arguments: [
        ("say hi", ControlRequest(.say("hi"))), ("say  hi ", ControlRequest(.say(" hi "))),
        ("say ", ControlRequest(.say(""))), ("plain say tail", ControlRequest(.say("tail"), as: .plain)),
        ("command /who", ControlRequest(.command("/who"))), ("tail", ControlRequest(.tail(withHistory: false))),
        ("plain tail history", ControlRequest(.tail(withHistory: true), as: .plain)),
        ("prometheus", ControlRequest(.prometheus)),
        ("in kitchen/2 say @lab hi", ControlRequest(.say("@lab hi"), in: "kitchen/2")),
        (
            "plain in \"my \\\"best\\\" \\\\ room\" command /who",
            ControlRequest(.command("/who"), as: .plain, in: "my \"best\" \\ room")
        ),
        ("to \"bob b\" say  hi", ControlRequest(.say(" hi", to: "bob b"))),
        ("in to to in say say", ControlRequest(.say("say", to: "in"), in: "to")),
    ])
    func `a request is read as it is written`(line: String, request: ControlRequest) throws {
        #expect(try ControlRequest(line: line) == request)
        #expect(request.line == line)
    }

    @Test(arguments: [
        "", "say", "command who", "command", "tail  history", "Tail", "plain", "plain plain tail", " tail",
        "in", "in kitchen", "in  say x", "in \"\" say x", "in \"my room\"say x", "in \"my say x",
        "in kitchen tail", "in kitchen prometheus", "in kitchen in lobby say x", "to bob", "to bob command /who",
        "to bob tail", "to bob in kitchen say x", "command @kitchen /who",
    ])
    func `a malformed request is refused`(line: String) {
        let fault = #expect(throws: ControlFault.self) { try ControlRequest(line: line) }
        #expect(fault?.code == .badRequest)
    }

    @Test func `one request at a time is answered, and the next is read when that is taken`() {
        var session = Self.greeted()
        #expect(session.isReading)
        #expect(session.receive(Array("say one\nsay two\nsay thr".utf8), at: Self.now) == Self.asked(1, "one"))
        #expect(!session.isReading)
        #expect(session.written(at: Self.now).isEmpty)
        let line = ControlLines.prometheus([])
        #expect(session.complete(2, [], at: Self.now).isEmpty)
        let error = RoomReport.error(ChatError(.empty, .messageEmpty))
        let answered = session.complete(1, [error], at: Self.now)
        #expect(answered.count == 2 && answered.last == Self.end && answered.first != .send(line, of: nil))
        #expect(!session.isReading)
        #expect(session.written(at: Self.now) == Self.asked(2, "two"))
        #expect(session.complete(2, [], at: Self.now) == [Self.end])
        #expect(session.written(at: Self.now).isEmpty)
        #expect(session.isReading)
    }

    @Test func `requests before the end of the input are answered, the last line included`() {
        var session = Self.greeted()
        #expect(session.receive(Array("say one\nsay two".utf8), at: Self.now) == Self.asked(1, "one"))
        #expect(session.end(at: Self.now).isEmpty)
        #expect(session.complete(1, [], at: Self.now) == [Self.end])
        #expect(session.written(at: Self.now) == Self.asked(2, "two"))
        #expect(session.complete(2, [], at: Self.now) == [Self.end])
        #expect(!session.isOver)
        #expect(session.written(at: Self.now) == [.close])
        #expect(session.isOver)
    }

    @Test func `a tail hears every event, and no other client does`() throws {
        var session = Self.greeted()
        let said = HubEvent(.event(.message(try Sample.said("hi", by: try Sample.who()))), number: 1)
        #expect(session.hear(said, at: Self.now).isEmpty)
        let tail = session.receive(Array("plain tail history\nmore\n".utf8), at: Self.now)
        #expect(tail == [.ask(number: 1, .tail(withHistory: true), in: .open)])
        #expect(!session.hearsEvents)
        #expect(session.complete(1, [], at: Self.now).isEmpty)
        #expect(session.phase == .tailing(.plain) && session.hearsEvents)
        let lines = session.hear(said, at: Self.now)
        #expect(lines.first == .send(Self.renderer().lines(of: said.report, as: .plain), of: EventTopic(said.report)))
        // The node that leaves instead has answered already.
        #expect(session.complete(1, nil, at: Self.now).isEmpty)
        #expect(session.written(at: Self.now).isEmpty)
        // The end of its input is not the end of a tail.
        #expect(session.end(at: Self.now).isEmpty)
        #expect(session.hearsEvents)
        #expect(session.lose(at: Self.now).isEmpty)
        #expect(session.isOver)
    }

    @Test func `each event is rendered once for all clients of one format`() throws {
        let renderer = Self.renderer()
        let event = HubEvent(.event(.message(try Sample.said("hi", by: try Sample.who()))), number: 7)
        let (one, other) = (renderer.tail(as: .plain), renderer.tail(as: .plain))
        #expect(one === other)
        let (first, second) = (one.lines(of: event), other.lines(of: event))
        #expect(!first.isEmpty && first == second)
        #expect(renderer.tail(as: .json).lines(of: event) != first)
    }

    @Test func `the chat of plain tails is gone with the last one, and no answer is kept`() throws {
        let renderer = Self.renderer()
        let message = try Sample.said("a secret", by: try Sample.who())
        func edited(_ tail: TailRenderer?) -> String? {
            tail.map { String(decoding: $0.lines(of: .event(.edited(message))), as: UTF8.self) }
        }
        var tail: TailRenderer? = renderer.tail(as: .plain)
        weak let first = tail
        _ = renderer.lines(of: .answer(.history(.publicRoom, [message])), as: .plain)
        #expect(edited(tail)?.contains("<quiet-otter") == false)
        _ = tail?.lines(of: .event(.message(message)))
        #expect(edited(tail)?.contains("<quiet-otter") == true)
        tail = nil
        #expect(first == nil)
        #expect(edited(renderer.tail(as: .plain))?.contains("<quiet-otter") == false)
    }

    @Test func `at the end a client with a tail receives it, and a client without requests does not`() {
        var idle = Self.greeted()
        #expect(idle.leave(at: Self.now).isEmpty)
        #expect(idle.isOver)
        var asking = Self.greeted()
        _ = asking.receive(Array("say hi\n".utf8), at: Self.now)
        #expect(asking.leave(at: Self.now) == [.send(ControlLines.error(.leaving) + ControlLines.end, of: nil)])
        #expect(asking.isOver)
        // Its answer comes too late.
        #expect(asking.complete(1, [], at: Self.now).isEmpty)
        var refused = ControlSession(Self.renderer())
        let full = ControlLines.error(ControlFault(.busy, "16 clients are the most")) + ControlLines.end
        #expect(refused.turnAway(at: Self.now) == [.send(full, of: nil), .close])
        #expect(!refused.isReading && !refused.hasShownToken)
    }

    @Test func `random bytes lead to nothing but requests that are refused`() {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<200 {
            var session = Self.greeted()
            var last = 0
            for _ in 0..<20 {
                let bytes = (0..<Int.random(in: 0...64, using: &generator)).map { _ in
                    UInt8.random(in: 0...255, using: &generator)
                }
                var effects = session.isReading ? session.receive(bytes, at: Self.now) : []
                while let effect = effects.popLast() {
                    switch effect {
                    case .ask(let number, .fault(let error), in: .open):
                        last = number
                        effects += session.complete(number, [.error(error)], at: Self.now)
                    case .send: effects += session.written(at: Self.now)
                    case .ask, .perform, .look, .lookAll, .close, .refused, .sendNumbered, .takePlace, .follow:
                        Issue.record("\(effect) behind \(last) requests")
                    }
                }
            }
        }
    }

    @Test func `events are the same lines as on standard output, and errors in both formats`() throws {
        let renderer = ControlRenderer(clock: { _ in "12:00:00" })
        for event in try Sample.events() {
            let report = RoomReport.event(event)
            let json = JSONOutput().rendering(of: report, at: Sample.time).output
            #expect(renderer.lines(of: report, as: .json, at: Sample.time) == json)
            let plain = String(decoding: renderer.lines(of: report, as: .plain, at: Sample.time), as: UTF8.self)
            for line in plain.split(separator: "\n") {
                #expect(ControlLines.object(String(line))?["event"]?.string == "line")
                #expect(ControlLines.object(String(line))?["text"]?.string?.hasPrefix("12:00:00 ") == true)
            }
        }
        let error = RoomReport.error(ChatError(.empty, .messageEmpty))
        let told = renderer.lines(of: error, as: .plain, at: Sample.time)
        #expect(ControlLines.object(String(decoding: told, as: UTF8.self))?["code"]?.string == "empty")
    }

    @Test func `a path has one to 107 bytes, and a place by name wins over the user's own`() {
        #expect(ControlChoice.own.path(in: .none) == nil)
        let surroundings = Surroundings(variable: { $0 == "XDG_RUNTIME_DIR" ? "/run" : nil }, read: { _, _ in nil })
        #expect(ControlChoice.own.path(in: surroundings) == "/run/earshot/control")
        #expect(ControlChoice.path("x").path(in: surroundings) == "x")
        #expect(ControlChoice.none.path(in: surroundings) == nil)
    }
}
