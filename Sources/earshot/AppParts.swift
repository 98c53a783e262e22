import Commands
import Reactor
import Rendering
import Settings
import TerminalFace
import Chat
import ChatNode
import Discovery
import Noise
import Phrases
import Storage
import Wire

/// Makes the parts of the program as the command line asks for them.
extension App {
    static func runningLoop(_ name: String) throws(StartFailure) -> EventLoop {
        try StartFailure.naming { () throws(SystemError) in
            let loop = try EventLoop(name: name)
            try loop.start()
            return loop
        }
    }

    /// - Parameter counters: those of the process.
    static func makeExecutor(
        _ rooms: Program, _ departure: Departure, _ nodes: RoomNodes, _ kept: KeptState?, _ reports: ReportQueue,
        _ served: ServedFaces, counters: @escaping @Sendable () -> [Counter]
    ) -> CommandExecutor {
        CommandExecutor(
            rooms: rooms, departure: departure, store: { kept?.store($0, of: $1) },
            begin: { await nodes.begin($0, $1, in: $2) }, contacts: kept,
            keepsMarks: { kept?.keeps($0) ?? false }, counters: counters, pageLink: { served.pageLink },
            told: { report, isForDisplay in
                served.tell([report])
                if isForDisplay { reports.append([report]) }
            })
    }

    static func makeDisplay(_ arguments: Arguments, isTyped: Bool, departure: Departure) throws(StartFailure) -> Display
    {
        let loop = try runningLoop("display")
        let isJSON = arguments.format == .json
        let isConversation = arguments.format == .automatic && isTyped && Descriptors.isTerminal(Descriptors.output)
        if !isJSON { LocalTime.prepare() }
        return Display(
            on: loop, presentation: isJSON ? JSONOutput() : PlainRooms(clock: LocalTime.text, day: LocalTime.date),
            terminal: isConversation ? Terminal(bell: Bell(isQuiet: arguments.isQuiet)) : nil, departure: departure)
    }

    /// The lines of standard input, or none.
    static func makeInput(_ arguments: Arguments, isTyped: Bool) throws(StartFailure) -> any LineSource {
        guard arguments.readsInput else { return NoInput() }
        return StandardInput(on: try runningLoop("input"), isTyped: isTyped)
    }

    static func makeTerminal(
        _ arguments: Arguments, colors: Theme.Depth, departure: Departure, typing: @escaping @Sendable (Bool) -> Void
    ) throws(StartFailure) -> TerminalOwner {
        LocalTime.prepare()
        let size = TerminalSettings.size
        let background = Theme.background(environment: ProcessEnvironment.value)
        let rendering = ChatRendering(
            language: Language(environment: ProcessEnvironment.value), theme: Theme(colors, on: background),
            clock: LocalTime.text, day: LocalTime.date)
        let session = TerminalSession(
            columns: size.columns, rows: size.rows, view: ChatView(rendering, showsAll: arguments.showsAll),
            bell: Bell(isQuiet: arguments.isQuiet, notifies: arguments.notifies))
        let loop = try runningLoop("terminal")
        return try StartFailure.naming { () throws(SystemError) in
            try TerminalOwner(on: loop, session: session, departure: departure, typing: typing)
        }
    }
}
