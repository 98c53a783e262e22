import Chat
import Noise
import Phrases
import Reactor
import TestSupport
import Testing
import Transports
import Wire

@testable import ChatNode
@testable import Commands

/// Commands in several rooms of one program.
@Suite(.timeLimit(.minutes(5))) struct RoomsTests {
    /// A program in rooms whose nodes have not started, without a face.
    private struct RunningProgram {
        let rooms: Program
        let loop: EventLoop
        let labels: [RoomLabel]
        let executor: CommandExecutor

        init(_ names: String..., rate: Double = Limits.sendPerSecond) async throws {
            loop = try EventLoop(name: "rooms")
            try loop.start()
            rooms = Program(on: loop)
            for name in names { await rooms.add(try await rooms.reserve(name), RoomsTests.node(on: loop, rate: rate)) }
            labels = await rooms.labels
            executor = CommandExecutor(
                rooms: rooms, departure: Departure(), store: { _, _ in nil },
                begin: { _, _, _ in .failed(ChatError(.roomFailed, .roomFailed, "none", "none")) },
                keepsMarks: { _ in false }
            ) { [] }
        }

        func reports(_ name: String, _ operands: [String: Operands.Value] = [:]) async -> [RoomReport]? {
            await executor.reports(of: Command(CommandEntry.find(name) ?? .say, operands))
        }

        /// Whether a text waits until it may be sent.
        var isAnyWaiting: Bool {
            get async { await rooms.run { $0.all.contains { $0.node.parts.conversations.waitingSenders > 0 } } }
        }

        func summaries() async -> [[ConversationSummary]] {
            await rooms.run { $0.all.map { $0.node.chat.summaries } }
        }
    }

    private static func node(
        on loop: EventLoop, in room: Room = .lobby, rate: Double = Limits.sendPerSecond
    ) -> Node {
        var randomness = Randomness.system
        var configuration = NodeConfiguration()
        configuration.room = room
        configuration.messagesPerSecond = rate
        let identity = Identity.generate(using: &randomness)
        return Node(
            configuration: configuration, identity: identity, randomness: randomness, scheduler: loop,
            transport: TCPTransport(loop: loop, interfaces: ["lo"]), discoveries: [], deliver: { _ in })
    }

    private static func failure(_ reports: [RoomReport]?) -> ChatError.Code? {
        guard case .error(let error) = reports?.last?.report else { return nil }
        return error.code
    }

    @Test func `a room that becomes ready while its caller begins to wait is not waited for`() async throws {
        let program = try await RunningProgram("lobby", "attic")
        let label = program.labels[1]
        let waiting = await program.rooms.run { rooms in
            // Both are jobs of the loop in this order, before either has begun.
            let waiting = Task { await rooms.awaitReady(label) }
            Task { rooms.recordReady(label) }
            return waiting
        }
        #expect(await waiting.value)
        program.loop.stop()
    }

    @Test func `a room that is ready, or gone, before its caller waits keeps no caller waiting`() async throws {
        let program = try await RunningProgram()
        let rooms = program.rooms
        let early = try await rooms.reserve("early")
        await rooms.recordReady(early)
        await rooms.add(early, RoomsTests.node(on: program.loop))
        #expect(await rooms.awaitReady(early))
        let gone = try await rooms.reserve("gone")
        await rooms.remove(gone)
        await rooms.recordReady(gone, false)
        #expect(await !rooms.awaitReady(gone))
        program.loop.stop()
    }

    @Test func `a label is unique, and names of rooms are found in any case`() async throws {
        let program = try await RunningProgram("Kitchen", "Kitchen", "lobby", "LOBBY")
        let (rooms, names) = (program.rooms, program.labels)
        #expect(names.map(\.name) == ["Kitchen", "Kitchen/2", "lobby", "LOBBY"])
        #expect(Set(names.map(\.number)).count == 4)
        #expect(await rooms.label(named: "kitchen") == names[0])
        #expect(await rooms.label(named: "LOBBY") == names[3])
        // Two names differ in the case of their letters alone.
        #expect(await rooms.label(named: "Lobby") == nil)
        #expect(await rooms.openLabel == names[0])
        program.loop.stop()
    }

    @Test func `a process is in 16 rooms at most`() async throws {
        let program = try await RunningProgram()
        for number in 1...Limits.rooms { _ = try await program.rooms.reserve("room \(number)") }
        let error = await #expect(throws: ChatError.self) { try await program.rooms.reserve("one more") }
        #expect(error?.code == .tooManyRooms)
        program.loop.stop()
    }

    @Test func `a line names its room, the longest name that fits, or is a text`() async throws {
        let program = try await RunningProgram("kitchen", "kitchen sink")
        let rooms = program.rooms
        let lines = ["hello", "@kitchen hello", "@kitchen sink hello", "@bob hello", "@kitchen /who", "@kitchen"]
        let read = try await rooms.run { rooms in try lines.map { try AddressedLine($0, in: rooms) } }
        #expect(read.map { $0.room?.name } == [nil, "kitchen", "kitchen sink", nil, "kitchen", nil])
        #expect(read.map(\.text) == ["hello", "hello", "hello", "@bob hello", "/who", "@kitchen"])
        #expect(read.map(\.conversation) == [nil, .publicRoom, .publicRoom, nil, .publicRoom, nil])
        // A command that was meant for another room is not performed in the open one.
        let error = await #expect(throws: ChatError.self) { try await AddressedLine("@kichen /wipe yes", in: rooms) }
        #expect(error?.code == .unknownRoom)
        // A text for one room is said in no other, for all invisible scalars around the name.
        let hidden = try await AddressedLine("\u{feff}@kitchen \u{301}secret", in: rooms)
        #expect(hidden.room?.name == "kitchen" && hidden.text == "\u{301}secret")
        // Where only a text is taken, there is no such command.
        for other in ["@KITCHEN secret", "@kitchen\tsecret", "@\"kitchen\" secret"] {
            let line = try await AddressedLine(other, in: rooms)
            #expect(try await line == AddressedLine("@kitchen secret", in: rooms), "\(other)")
        }
        let text = await AddressedLine(textIn: "@ann /shrug", rooms)
        #expect(text == AddressedLine(text: "@ann /shrug"))
        #expect(await AddressedLine(textIn: "@kitchen //x", rooms).text == "//x")
        program.loop.stop()
    }

    /// Lines of a pipe, with what became of each.
    private actor Script: LineSource {
        private var lines: [String]
        private(set) var outcomes: [LineOutcome] = []

        init(_ lines: [String]) { self.lines = lines }

        func next() -> InputLine? {
            lines.isEmpty ? nil : InputLine(content: .text(lines.removeFirst()), isPaced: true)
        }

        func settle(_ line: InputLine, _ outcome: LineOutcome) { outcomes.append(outcome) }
    }

    @Test func `a line that names its room acts there, and no card goes up from a direct conversation`() async throws {
        let program = try await RunningProgram("lobby")
        let (rooms, ann) = (program.rooms, try Sample.who("ann").key)
        try await rooms.run { for room in $0.all { try room.node.start() } }
        await rooms.run { $0.all[0].node.change(.open(.direct(ann))) }
        let script = Script(["@lobby hello", "@lobby /card lost | a hat", "/card secret | a plan"])
        let input = InputLoop(
            input: script, executor: program.executor, reports: ReportQueue(), isTyped: false, isAddressed: true,
            endsNode: false)
        await input.run()
        #expect(await script.outcomes == [.done, .done, .mendable])
        #expect(await rooms.run { $0.all[0].node.chat.messages(in: .publicRoom).map(\.text) } == ["hello"])
        #expect(await rooms.run { $0.all[0].node.chat.board.map(\.content.title) } == ["lost"])
        let typed = try Command(line: "/card secret | a plan")
        #expect(Self.failure(await program.executor.reports(of: typed)) == .directOpen)
        // Programs name the room with the card.
        let card = Command.card(title: "found", text: "a glove")
        #expect(Self.failure(await program.executor.reports(of: card)) == nil)
        await program.rooms.leave()
        program.loop.stop()
    }

    @Test func `exactly one conversation of a program is looked at`() async throws {
        let program = try await RunningProgram("lobby", "kitchen")
        func active() async -> [Int] { await program.summaries().map { $0.count(where: \.isActive) } }
        let opened = await program.reports("open", ["place": .text("Kitchen")])
        #expect(opened?.last?.room == program.labels[1])
        #expect(await active() == [0, 1])
        #expect(Self.failure(await program.reports("open", ["place": .text("nobody")])) == .unknownPeer)
        #expect(await active() == [0, 1])
        _ = await program.reports("open", ["room": .text("lobby")])
        #expect(await active() == [1, 0])
        program.loop.stop()
    }

    @Test func `the open room of a name is entered by its own word alone once a private one was left`() async throws {
        let program = try await RunningProgram("lobby")
        let rooms = program.rooms
        func join(_ operands: [String: Operands.Value]) async -> ChatError.Code? {
            Self.failure(await program.reports("join", operands))
        }
        var randomness = Randomness.system
        let key = try RoomKey(reading: RoomKey.generate(using: &randomness), forRoomNamed: "attic")
        let attic = Room("attic", key: key)
        await rooms.add(try await rooms.reserve("attic"), Self.node(on: program.loop, in: attic))
        _ = await program.reports("part", ["room": .text("attic")])
        #expect(await join(["room": .text("attic")]) == .invalidKey)
        #expect(await join(["room": .text("Attic")]) == .invalidKey)
        // Each of these goes on to a node, which no room has here.
        #expect(await join(["room": .text("attic"), "open": .flag(true)]) == .roomFailed)
        #expect(await join(["room": .text("attic"), "key": .text("a pass phrase")]) == .roomFailed)
        let who = try Sample.who()
        await rooms.run { _ = $0.recorded(.invitation(from: who, to: attic, isThere: false)) }
        #expect(await join(["room": .text("attic")]) == .roomFailed)
        await rooms.run { _ = $0.recorded(.blocked(who, isOn: true)) }
        #expect(await join(["room": .text("attic")]) == .invalidKey)
        program.loop.stop()
    }

    @Test func `a choice of cover is that of rooms that come later, also behind a wipe`() async throws {
        let program = try await RunningProgram("lobby")
        let rooms = program.rooms
        for (word, isOn) in [("on", true), ("off", false)] {
            _ = await program.reports("set", ["setting": .text("cover \(word)")])
            let last = try #require(await rooms.labels.last)
            await rooms.add(try await rooms.reserve("attic"), Self.node(on: program.loop))
            await rooms.remove(last)
            #expect(await rooms.run { $0.all.map(\.node.sendsCover) } == [isOn])
        }
        program.loop.stop()
    }

    @Test func `a room is left for the first one, which is open then`() async throws {
        let program = try await RunningProgram("lobby", "kitchen", "attic")
        _ = await program.reports("open", ["place": .text("attic")])
        let reports = await program.reports("part")
        let opening = try #require(reports?.last?.report.content(Opening.self))
        #expect(opening.left?.name == "attic")
        #expect(opening.view == .publicRoom)
        #expect(reports?.last?.room == program.labels[0])
        #expect(await program.rooms.openLabel == program.labels[0])
        #expect(await program.rooms.labels.map(\.name) == ["lobby", "kitchen"])
        // Another room than the open one changes nothing in that.
        _ = await program.reports("part", ["room": .text("kitchen")])
        #expect(await program.rooms.openLabel == program.labels[0])
        program.loop.stop()
    }

    @Test func `a text for a room that is left meanwhile is said in no other room`() async throws {
        let program = try await RunningProgram("lobby", "kitchen", rate: 0.001)
        let kitchen = program.labels[1]
        try await program.rooms.run { for room in $0.all { try room.node.start() } }
        _ = await program.executor.reports(of: .say("first"), in: kitchen)
        // The rate holds the next one back.
        async let late = program.executor.reports(of: .say("late"), in: kitchen)
        while await !program.isAnyWaiting { await Task.yield() }
        _ = await program.reports("part", ["room": .text("kitchen")])
        #expect(Self.failure(await late) == .unknownRoom)
        // Nor is one that comes later.
        #expect(Self.failure(await program.executor.reports(of: .say("later"), in: kitchen)) == .unknownRoom)
        let said = try #require(await program.summaries().first?.first)
        #expect(said.last == nil)
        await program.rooms.leave()
        program.loop.stop()
    }

    @Test func `a change without an id is refused where the user did not speak last`() async throws {
        let program = try await RunningProgram("lobby", "kitchen")
        let (rooms, labels, ann) = (program.rooms, program.labels, try Sample.who("ann"))
        try await rooms.run { for room in $0.all { try room.node.start() } }
        func refusal() async -> [String] {
            var messages: [String] = []
            for name in ["edit", "delete"] {
                let text: [String: Operands.Value] = name == "edit" ? ["text": .text("my PIN is 4321")] : [:]
                guard case .error(let error) = await program.reports(name, text)?.last?.report else { continue }
                messages.append(error.message)
            }
            return messages
        }
        func say(_ place: ConversationView, in room: RoomLabel, own: Bool = true) async throws {
            let message = try Sample.said("x", by: ann, in: place, own: own)
            await rooms.run { $0.recordSaid(.message(message), in: room) }
        }
        let here = "there is no message of yours here"
        #expect(await refusal() == [here, here])
        for (place, room, name) in [
            (.direct(with: ann), labels[0], "ann#4821"), (.direct(with: ann), labels[1], "ann#4821 @kitchen"),
            (.publicRoom, labels[1], "kitchen"),
        ] as [(ConversationView, RoomLabel, String)] {
            try await say(place, in: room)
            // Another's message changes nothing.
            try await say(.publicRoom, in: labels[0], own: false)
            let refused = await refusal()
            #expect(refused.count == 2)
            for message in refused { #expect(message.contains("another conversation, \(name);")) }
        }
        try await say(.publicRoom, in: labels[0])
        #expect(await refusal() == [here, here])
        await rooms.leave()
        program.loop.stop()
    }

    @Test func `a text that waits, or comes, while everything is wiped is refused`() async throws {
        let program = try await RunningProgram("lobby", rate: 0.001)
        try await program.rooms.run { for room in $0.all { try room.node.start() } }
        _ = await program.executor.reports(of: .say("first"))
        async let late = program.executor.reports(of: .say("late"))
        while await !program.isAnyWaiting { await Task.yield() }
        async let wiped = program.rooms.wipe()
        #expect(Self.failure(await late) == .isAway)
        #expect(await program.executor.obey(.say("later"), isPaced: true) { _ in } == .refused(.isAway))
        #expect(await program.rooms.goOn())
        _ = await wiped
        await program.rooms.leave()
        program.loop.stop()
    }

    @Test func `the only room is not left, and an unknown one is an error`() async throws {
        let program = try await RunningProgram("lobby")
        #expect(Self.failure(await program.reports("part")) == .onlyRoom)
        #expect(Self.failure(await program.reports("part", ["room": .text("attic")])) == .unknownRoom)
        program.loop.stop()
    }

    /// The room's first event comes before the join is answered.
    @Test func `an invitation is listed until its room is joined, also before that node is ready`() async throws {
        let program = try await RunningProgram("lobby")
        let rooms = program.rooms
        let attic = Room(openNamed: "attic")
        let who = try Sample.who()
        await rooms.run { _ = $0.recorded(.invitation(from: who, to: attic, isThere: false)) }
        #expect(await rooms.run { $0.invitations.map(\.room.name) } == ["attic"])
        await rooms.add(try await rooms.reserve("attic"), Self.node(on: program.loop, in: attic))
        #expect(await rooms.run { $0.invitations.map(\.room.name) } == [])
        program.loop.stop()
    }

    @Test func `a join that fails leaves the other rooms as they are`() async throws {
        let program = try await RunningProgram("lobby")
        #expect(Self.failure(await program.reports("join", ["room": .text("kitchen")])) == .roomFailed)
        #expect(await program.rooms.labels.map(\.name) == ["lobby"])
        // Its place is free again.
        #expect(try await program.rooms.reserve("kitchen").name == "kitchen")
        program.loop.stop()
    }

    @Test func `counters of several nodes are summed up, and of the longest queue the largest counts`() {
        let nodes = [
            [Counter(.peersOnline, 2), Counter(.queuedBytesLongest, 700)],
            [Counter(.peersOnline, 3), Counter(.queuedBytesLongest, 500)],
        ]
        #expect(Counter.sums(nodes) == [Counter(.peersOnline, 5), Counter(.queuedBytesLongest, 700)])
    }

    @Test func `the key of a room is in no line that is shown or kept`() throws {
        let command = try Command(line: "/join kitchen correct horse battery staple")
        let key = "correct horse battery staple"
        #expect(command.operands == Operands(["room": .text("kitchen"), "key": .text(key)]))
        #expect(command.shown(as: "x") == "/join kitchen …")
        for line in ["/join kitchen \(key)", " /JOIN kitchen x --open"] { #expect(CommandEntry.isSecret(line)) }
        #expect(!CommandEntry.isSecret("/join kitchen"))
        for line in ["hi", "//x", "/me waves", "/edit it", "/close", "/part ", "/accept"] {
            #expect(CommandEntry.isForOpenConversation(line))
        }
        for line in ["/who", "/msg fox hi", "/open fox", "/part kitchen", "/quit", "/nothing"] {
            #expect(!CommandEntry.isForOpenConversation(line))
        }
        let opening = CommandEntry.all.filter(\.opensConversation).map(\.name).sorted()
        #expect(opening == ["accept", "close", "join", "open", "part", "room"])
        #expect(
            try Command(line: "/join \"my room\" --as me").operands
                == Operands(["room": .text("my room"), "asKept": .flag(true)]))
        #expect(try Command(line: "/join kitchen").operands == Operands(["room": .text("kitchen")]))
        #expect(throws: ChatError.self) { try Command(line: "/join") }
        #expect(throws: ChatError.self) { try Command(line: "/join " + String(repeating: "긴", count: 65)) }
        #expect(try Command(line: "/join " + String(repeating: "긴", count: 64)).entry.isPaced == false)
    }
}
