import EarshotControl
import Glibc
import Reactor
import Testing

/// The client of a control socket, with a node that does what the test says.
@Suite(.timeLimit(.minutes(1))) struct ControlClientTests {
    private static let greeting = #"{"event":"control","protocol":1,"version":"0"}"#
    private static let end = #"{"event":"end"}"#

    /// Serves a client whose first connection is idle, and its tail.
    private static func serve(_ tail: @escaping @Sendable (ScriptedNode.Connection) -> Void) throws -> ScriptedNode {
        try ScriptedNode([
            { connection in
                connection.send(greeting)
                while connection.receive() != nil {}
            },
            { connection in
                connection.send(greeting)
                if connection.receive() == "tail" { tail(connection) }
            },
        ])
    }

    private func names(_ events: ControlEvents) async throws -> [String] {
        var names: [String] = []
        for try await event in events {
            switch event {
            case .line(let line): names.append(line.event)
            case .missed(let count): names.append("missed \(count)")
            }
        }
        return names
    }

    @Test func `A tail ends behind the last event when the node leaves`() async throws {
        let node = try ControlClientTests.serve { connection in
            for name in ["ready", "stopped", "end"] { connection.send("{\"event\":\"\(name)\"}") }
        }
        try await ControlClient.connect(to: node.path) { client in
            let seen = try await names(client.tail())
            #expect(seen == ["ready", "stopped"])
        }
    }

    @Test func `A tail throws where the connection ends before the node has left`() async throws {
        let node = try ControlClientTests.serve { connection in connection.send(#"{"event":"ready"}"#) }
        try await ControlClient.connect(to: node.path) { client in
            var events = try await client.tail().makeAsyncIterator()
            guard case .line(let line) = try await events.next() else { throw Unexpected() }
            #expect(line.event == "ready")
            await #expect(throws: ControlError.closed) { try await events.next() }
        }
    }

    @Test func `A tail throws the refusal of a node that is about to leave`() async throws {
        let node = try ControlClientTests.serve { connection in
            connection.send(#"{"event":"error","code":"leaving","message":"the node leaves"}"#)
            connection.send(ControlClientTests.end)
        }
        try await ControlClient.connect(to: node.path) { client in
            let refusal = ControlError.refused(code: "leaving", message: "the node leaves")
            await #expect(throws: refusal) { try await names(client.tail()) }
        }
    }

    @Test func `A slow reader gets the number of lines that it missed, in their place`() async throws {
        let (sent, over) = AsyncStream.makeStream(of: Void.self)
        let node = try ControlClientTests.serve { connection in
            for number in 0..<ControlEvents.capacity + 10 { connection.send("{\"event\":\"n\(number)\"}") }
            connection.send(ControlClientTests.end)
            // The client has read all of it when it closes.
            while connection.receive() != nil {}
            over.finish()
        }
        try await ControlClient.connect(to: node.path) { client in
            let events = try await client.tail()
            for await _ in sent {}
            let names = try await names(events)
            #expect(names.prefix(2) == ["missed 10", "n10"])
            #expect(names.count == ControlEvents.capacity + 1)
            #expect(names.last == "n\(ControlEvents.capacity + 9)")
        }
    }

    @Test func `A reader that is cancelled closes its connection`() async throws {
        let (closed, over) = AsyncStream.makeStream(of: Void.self)
        let node = try ControlClientTests.serve { connection in
            connection.send(#"{"event":"ready"}"#)
            while connection.receive() != nil {}
            over.finish()
        }
        try await ControlClient.connect(to: node.path) { client in
            let events = try await client.tail()
            let (begun, ready) = AsyncStream.makeStream(of: Void.self)
            let reader = Task {
                for try await _ in events { ready.finish() }
            }
            for await _ in begun {}
            reader.cancel()
            for await _ in closed {}
            try await reader.value
        }
    }

    @Test func `A program that is cancelled while it waits for an answer closes its connection`() async throws {
        let (asked, question) = AsyncStream.makeStream(of: Void.self)
        let (closed, over) = AsyncStream.makeStream(of: Void.self)
        let node = try ScriptedNode([
            { connection in
                connection.send(ControlClientTests.greeting)
                if connection.receive() == "say hello" { question.finish() }
                while connection.receive() != nil {}
                over.finish()
            }
        ])
        let program = Task { try await ControlClient.connect(to: node.path) { try await $0.say("hello") } }
        for await _ in asked {}
        program.cancel()
        for await _ in closed {}
        await #expect(throws: CancellationError.self) { try await program.value }
    }

    @Test func `A request that is cancelled does not wait, and the next one gets its own answer`() async throws {
        let (asked, question) = AsyncStream.makeStream(of: Void.self)
        let (released, release) = AsyncStream.makeStream(of: Void.self)
        let node = try ScriptedNode([
            { connection in
                connection.send(ControlClientTests.greeting)
                if connection.receive() == "say hello" { question.finish() }
                // Both requests are answered once the second has come.
                #expect(connection.receive() == "who")
                connection.send(#"{"event":"result","command":"say"}"#)
                connection.send(ControlClientTests.end)
                connection.send(#"{"event":"result","command":"who"}"#)
                connection.send(ControlClientTests.end)
                while connection.receive() != nil {}
                release.finish()
            }
        ])
        try await ControlClient.connect(to: node.path) { client in
            let saying = Task { try await client.say("hello") }
            for await _ in asked {}
            saying.cancel()
            await #expect(throws: ControlError.cancelled) { try await saying.value }
            let answer = try await client.request("who")
            #expect(answer.map { $0["command"]?.string } == ["who"])
            // A cancelled task asks nothing.
            let late = Task {
                while !Task.isCancelled { await Task.yield() }
                return try await client.request("stats")
            }
            late.cancel()
            await #expect(throws: ControlError.cancelled) { try await late.value }
        }
        for await _ in released {}
    }

    @Test
    func `More requests wait than the system takes, in their order, and a node that reads none holds up no other`()
        async throws
    {
        // The node reads nothing until a byte comes.
        var ends: [CInt] = [0, 0]
        try SystemError.check("pipe", unsafe pipe(&ends))
        let (begun, begin) = (ends[0], ends[1])
        defer { for end in [begun, begin] { close(end) } }
        let busy = try ScriptedNode([
            { connection in
                connection.send(ControlClientTests.greeting)
                var byte: UInt8 = 0
                _ = unsafe read(begun, &byte, 1)
                while let line = connection.receive() {
                    connection.send("{\"event\":\"result\",\"command\":\"\(line)\"}")
                    connection.send(ControlClientTests.end)
                }
            }
        ])
        let other = try ScriptedNode([
            { connection in
                connection.send(ControlClientTests.greeting)
                while connection.receive() != nil { connection.send(ControlClientTests.end) }
            }
        ])
        try await ControlClient.connect(to: busy.path) { client in
            let numbers = try await withThrowingTaskGroup(of: Bool.self) { group in
                for number in 0..<3_000 {
                    group.addTask { try await client.request("n\(number)").first?["command"]?.string == "n\(number)" }
                }
                try await ControlClient.connect(to: other.path) { _ = try await $0.request("who") }
                _ = unsafe write(begin, [0], 1)
                return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
            }
            #expect(numbers == 3_000)
        }
    }

    @Test func `A tail is no request, and a path that leads nowhere has a remedy`() async throws {
        let node = try ControlClientTests.serve { _ in }
        try await ControlClient.connect(to: node.path) { client in
            for line in ["tail", "tail history", " tail"] {
                await #expect { try await client.request(line) } throws: { error in
                    if case .refused("bad_request", _) = error as? ControlError { true } else { false }
                }
            }
        }
        await #expect { try await ControlClient.connect(to: "/no\nwhere") { _ in } } throws: { error in
            let text = (error as? ControlError)?.description ?? ""
            return text.contains("start earshot") && !text.contains("\n")
        }
    }

    @Test func `A program that is cancelled while the node greets does not wait for it`() async throws {
        let (connected, arrival) = AsyncStream.makeStream(of: Void.self)
        let node = try ScriptedNode([
            { connection in
                arrival.finish()
                while connection.receive() != nil {}
            }
        ])
        let program = Task { try await ControlClient.connect(to: node.path) { _ in } }
        for await _ in connected {}
        program.cancel()
        await #expect(throws: CancellationError.self) { try await program.value }
    }

    private struct Unexpected: Error {}
}
