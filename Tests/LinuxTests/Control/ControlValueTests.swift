import Chat
import ChatNode
import Phrases
import Testing
import Wire

@testable import Commands
@testable import ControlFace
@testable import Rendering
@testable import Settings

/// Requests and answers of the control socket, as values.
@Suite struct ControlValueTests {
    static let end = ControlLines.end
    private static let line = Array("{\"event\":\"x\"}\n".utf8)

    /// Takes everything that waits.
    static func drained(_ dialogue: inout ControlSession) -> [UInt8] {
        var all: [UInt8] = []
        dialogue.drain { bytes in
            for index in bytes.indices { all.append(bytes[index]) }
            return bytes.count
        }
        return all
    }

    static func greeted() -> ControlSession {
        var dialogue = ControlSession()
        #expect(drained(&dialogue) == ControlLines.greeting)
        return dialogue
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
        var dialogue = Self.greeted()
        #expect(dialogue.isWaitingToRead)
        dialogue.feed(Array("one\ntwo\nthr".utf8)[...])
        #expect(dialogue.next() == .text("one"))
        #expect(dialogue.next() == nil)
        #expect(!dialogue.isWaitingToRead)
        dialogue.answer(Self.line)
        #expect(dialogue.next() == nil)
        #expect(dialogue.isWaitingToWrite)
        #expect(Self.drained(&dialogue) == Self.line + Self.end)
        #expect(dialogue.next() == .text("two"))
        dialogue.answer([])
        #expect(Self.drained(&dialogue) == Self.end)
        #expect(dialogue.next() == nil)
        #expect(dialogue.isWaitingToRead)
    }

    @Test func `requests before the end of the input are answered, the last line included`() {
        var dialogue = Self.greeted()
        dialogue.feed(Array("one\ntwo".utf8)[...])
        dialogue.endInput()
        for word in ["one", "two"] {
            #expect(dialogue.next() == .text(word))
            #expect(!dialogue.isOver)
            dialogue.answer([])
            #expect(Self.drained(&dialogue) == Self.end)
        }
        #expect(dialogue.next() == nil)
        #expect(dialogue.isOver)
    }

    @Test func `a tail receives events until too many bytes are unread`() {
        var dialogue = Self.greeted()
        dialogue.feed(Array("tail\nmore\n".utf8)[...])
        #expect(dialogue.next() != nil)
        dialogue.beginTail(.plain, Self.line)
        #expect(dialogue.phase == .tailing(.plain))
        #expect(dialogue.next() == nil)
        let big = [UInt8](repeating: 0x0a, count: ControlSession.mostWaiting / 2)
        let isFirstTaken = dialogue.tell(big)
        let isSecondTaken = dialogue.tell(big)
        #expect(isFirstTaken)
        #expect(!isSecondTaken)
        #expect(Self.drained(&dialogue).count == Self.line.count + big.count)
        let isThirdTaken = dialogue.tell(big + big)
        #expect(isThirdTaken)
    }

    @Test func `a slow client gets every byte in order`() {
        var dialogue = Self.greeted()
        dialogue.feed(Array("tail\n".utf8)[...])
        _ = dialogue.next()
        dialogue.beginTail(.json, [])
        var told: [UInt8] = []
        var taken: [UInt8] = []
        for round in 0..<400 {
            let piece = [UInt8](repeating: UInt8(round % 251), count: round % 37)
            told += piece
            let isTaken = dialogue.tell(piece)
            #expect(isTaken)
            dialogue.drain { bytes in
                let count = min(bytes.count, round % 11)
                for index in 0..<count { taken.append(bytes[index]) }
                return count
            }
        }
        taken += Self.drained(&dialogue)
        #expect(taken == told)
    }

    @Test func `at the end a client with a tail receives it, and a client without requests does not`() {
        var idle = Self.greeted()
        idle.finish()
        #expect(idle.isOver)
        var asking = Self.greeted()
        asking.feed(Array("say hi\n".utf8)[...])
        _ = asking.next()
        asking.finish()
        #expect(Self.drained(&asking) == ControlLines.error(.leaving) + Self.end)
        #expect(asking.isOver)
        // Its answer comes too late.
        asking.answer(Self.line)
        #expect(!asking.isWaitingToWrite)
        let refused = ControlSession(refusing: ControlFault(.busy, "full"))
        #expect(!refused.isWaitingToRead)
    }

    @Test func `random bytes lead to nothing but requests that are refused`() {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<200 {
            var dialogue = Self.greeted()
            for _ in 0..<20 {
                let bytes = (0..<Int.random(in: 0...64, using: &generator)).map { _ in
                    UInt8.random(in: 0...255, using: &generator)
                }
                if dialogue.isWaitingToRead { dialogue.feed(bytes[...]) }
                while let line = dialogue.next() {
                    if case .text(let text) = line {
                        #expect(throws: ControlFault.self) { try ControlRequest(line: text) }
                    }
                    dialogue.answer([])
                    _ = Self.drained(&dialogue)
                }
            }
        }
    }

    @Test func `events are the same lines as on standard output, and errors in both formats`() throws {
        var renderer = ControlRenderer(clock: { _ in "12:00:00" })
        for event in try Sample.events() {
            let report = RoomReport.event(event)
            let json = JSONOutput().rendering(of: report, at: Sample.time).output
            #expect(renderer.lines(of: [report], as: .json, at: Sample.time) == json)
            let plain = String(decoding: renderer.lines(of: [report], as: .plain, at: Sample.time), as: UTF8.self)
            for line in plain.split(separator: "\n") {
                #expect(ControlLines.object(String(line))?["event"]?.string == "line")
                #expect(ControlLines.object(String(line))?["text"]?.string?.hasPrefix("12:00:00 ") == true)
            }
        }
        let error = RoomReport.error(ChatError(.empty, .messageEmpty))
        let told = renderer.lines(of: [error], as: .plain, at: Sample.time)
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
