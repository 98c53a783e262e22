import Commands
import ControlFace
import Process
import Rendering
import Settings
import StreamFace
import TerminalFace
import Chat
import ChatNode
import Composition
import Noise
import Phrases
import Reactor
import Storage
import Wire

/// Makes the parts of the program as the command line asks for them.
extension App {
    static func runningLoop(_ name: String) throws(StartFailure) -> EventLoop {
        let loop = try StartFailure.naming { () throws(SystemError) in try EventLoop(name: name) }
        loop.start()
        return loop
    }

    /// The node that the program begins with, and the files of its identity if it is to be kept.
    static func makeFirstNode(
        _ arguments: Arguments, in room: Room, on loop: EventLoop, _ diagnostics: Diagnostics,
        deliver: @escaping @Sendable ([NodeEvent]) -> Void
    ) throws(StartFailure) -> (Node, IdentityFiles?, StateWriter?) {
        guard let path = arguments.identity else {
            let passing = Identity.passing()
            let configuration = configuration(arguments, in: room)
            return (try makeNode(configuration, passing, arguments, on: loop, deliver: deliver), nil, nil)
        }
        let opened = try KeptIdentity.open(path, phraseFrom: arguments.phraseDescriptor, diagnostics)
        let files = opened.files
        let writer = try StartFailure.naming { () throws(SystemError) in
            try StateWriter(files) { diagnostics.say(.error, "\($0)") }
        }
        var configuration = configuration(arguments, in: room)
        configuration.nickname = arguments.nickname ?? files.state.nickname
        let node = try makeNode(
            configuration, opened.take(), keeping: files.state, arguments, on: loop, deliver: deliver,
            epochChanged: { epoch in writer.submit { $0.epoch = epoch } },
            directsChanged: { accepted in writer.submit { $0.accepted = accepted } })
        return (node, files, writer)
    }

    /// The node that comes after a wipe: of another identity, under another name.
    static func makeNextNode(
        _ arguments: Arguments, in room: Room, on loop: EventLoop,
        deliver: @escaping @Sendable ([NodeEvent]) -> Void
    ) throws(StartFailure) -> Node {
        var configuration = configuration(arguments, in: room)
        configuration.nickname = nil
        return try makeNode(configuration, Identity.passing(), arguments, on: loop, deliver: deliver)
    }

    /// Stores changes in the identity's state, if there is one; the node goes on if that fails.
    static func store(with writer: StateWriter?) -> CommandExecutor.Store {
        { change in
            switch change {
            case .marks(let marks):
                let (verified, blocked) = (marks.verified.inOrder, marks.blocked.inOrder)
                return writer?.submit { ($0.verified, $0.blocked) = (verified, blocked) }
            case .nickname(let nickname): return writer?.submit { $0.nickname = nickname }
            }
        }
    }

    /// Where other programs reach the node. A place that was asked for by name has to be usable; one that another node is
    /// reached at is left to it.
    static func makeControl(_ arguments: Arguments, _ diagnostics: Diagnostics) throws(StartFailure) -> ControlServer? {
        guard let path = arguments.control.path(in: Surroundings.ofProcess) else { return nil }
        let isOwn = arguments.control == .own
        let socket: ControlSocket
        do throws(ControlSocket.Failure) {
            socket = try ControlSocket.open(path, makesFolder: isOwn)
        } catch {
            if case .unusable(let message) = error, !isOwn { throw StartFailure(message) }
            diagnostics.say(.warning, error.message)
            return nil
        }
        LocalTime.prepare()
        return ControlServer(
            on: try runningLoop("control"), socket,
            renderer: ControlRenderer(clock: LocalTime.text, day: LocalTime.date))
    }

    private static func makeNode(
        _ configuration: NodeConfiguration, _ identity: consuming sending Identity,
        keeping state: IdentityState = IdentityState(), _ arguments: Arguments, on loop: EventLoop,
        deliver: @escaping @Sendable ([NodeEvent]) -> Void,
        epochChanged: @escaping @Sendable (UInt64) -> Void = { _ in },
        directsChanged: @escaping @Sendable ([PeerID]) -> Void = { _ in }
    ) throws(StartFailure) -> Node {
        let marks = PeerMarks(verified: MarkedPeers(state.verified), blocked: MarkedPeers(state.blocked))
        do throws(SystemError) {
            return try arguments.network.node(
                configuration, identity, marks: marks, accepted: state.accepted, minimumEpoch: state.nextEpoch,
                on: loop, deliver: deliver, epochChanged: epochChanged, directsChanged: directsChanged)
        } catch {
            throw StartFailure(error)
        }
    }

    static func makeDisplay(_ arguments: Arguments, isTyped: Bool, departure: Departure) throws(StartFailure) -> Display
    {
        let loop = try runningLoop("display")
        let isJSON = arguments.format == .json
        let isConversation = arguments.format == .automatic && isTyped && Descriptors.isTerminal(Descriptors.output)
        if !isJSON { LocalTime.prepare() }
        return Display(
            on: loop, presentation: isJSON ? JSONOutput() : PlainOutput(clock: LocalTime.text, day: LocalTime.date),
            terminal: isConversation ? Terminal(bell: Bell(isQuiet: arguments.isQuiet)) : nil, departure: departure)
    }

    static func makeTerminal(
        _ arguments: Arguments, colors: Theme.Depth, departure: Departure, typing: @escaping @Sendable (Bool) -> Void
    ) throws(StartFailure) -> TerminalOwner {
        LocalTime.prepare()
        let size = TerminalSettings.size
        let rendering = ChatRendering(
            language: Language(environment: Environment.value), theme: Theme(colors), clock: LocalTime.text,
            day: LocalTime.date)
        let session = TerminalSession(
            columns: size.columns, rows: size.rows, view: ChatView(rendering, showsAll: arguments.showsAll),
            bell: Bell(isQuiet: arguments.isQuiet, notifies: arguments.notifies))
        let loop = try runningLoop("terminal")
        return try StartFailure.naming { () throws(SystemError) in
            try TerminalOwner(on: loop, session: session, departure: departure, typing: typing)
        }
    }

    private static func configuration(_ arguments: Arguments, in room: Room) -> NodeConfiguration {
        var configuration = NodeConfiguration()
        configuration.nickname = arguments.nickname
        configuration.room = room
        configuration.port = arguments.port
        configuration.messagesPerSecond = arguments.rate ?? configuration.messagesPerSecond
        configuration.sharesHistory = arguments.sharesHistory
        configuration.readReceipts = arguments.readReceipts
        return configuration
    }
}
