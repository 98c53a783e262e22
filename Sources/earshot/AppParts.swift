import Chat
import ChatNode
import Discovery
import Noise
import Reactor
import Storage
import Transports

/// Makes the parts of the program as the command line asks for them.
extension App {
    static func runningLoop(_ name: String) throws(StartFailure) -> EventLoop {
        let loop = try StartFailure.naming { () throws(SystemError) in try EventLoop(name: name) }
        loop.start()
        return loop
    }

    /// The node that the program begins with, and the files of its identity if it is to be kept.
    static func makeFirstNode(
        _ arguments: Arguments, on loop: EventLoop, _ diagnostics: Diagnostics,
        deliver: @escaping @Sendable ([NodeEvent]) -> Void
    ) throws(StartFailure) -> (Node, IdentityFiles?) {
        guard let path = arguments.identity else {
            return (try makeNode(configuration(arguments), newIdentity(), arguments, on: loop, deliver: deliver), nil)
        }
        let opened = try KeptIdentity.open(path, phraseFrom: arguments.phraseDescriptor, diagnostics)
        let files = opened.files
        let node = try makeNode(
            configuration(arguments), opened.take(), keeping: files.state, arguments, on: loop, deliver: deliver
        ) { epoch in
            do throws(StorageError) { try files.store { $0.epoch = epoch } } catch {
                diagnostics.say(.error, "\(error)")
            }
        }
        return (node, files)
    }

    /// The node that comes after a wipe: of another identity, under another name.
    static func makeNextNode(
        _ arguments: Arguments, on loop: EventLoop, deliver: @escaping @Sendable ([NodeEvent]) -> Void
    ) throws(StartFailure) -> Node {
        var configuration = configuration(arguments)
        configuration.nickname = nil
        return try makeNode(configuration, newIdentity(), arguments, on: loop, deliver: deliver)
    }

    private static func newIdentity() -> Identity {
        var randomness = Randomness.system
        return Identity.generate(using: &randomness)
    }

    private static func makeNode(
        _ configuration: NodeConfiguration, _ identity: consuming sending Identity,
        keeping state: IdentityState = IdentityState(), _ arguments: Arguments, on loop: EventLoop,
        deliver: @escaping @Sendable ([NodeEvent]) -> Void,
        epochChanged: @escaping @Sendable (UInt64) -> Void = { _ in }
    ) throws(StartFailure) -> Node {
        let ways = try StartFailure.naming { () throws(SystemError) in try discoveries(arguments) }
        let marks = PeerMarks(verified: MarkedPeers(state.verified), blocked: MarkedPeers(state.blocked))
        return Node(
            configuration: configuration, identity: identity, marks: marks, minimumEpoch: state.nextEpoch,
            randomness: .system, scheduler: loop,
            transport: TCPTransport(loop: loop, interfaces: arguments.interfaces), discoveries: ways,
            deliver: deliver, epochChanged: epochChanged)
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
        _ arguments: Arguments, hasColors: Bool, departure: Departure, typing: @escaping @Sendable (Bool) -> Void
    ) throws(StartFailure) -> TerminalOwner {
        LocalTime.prepare()
        let size = TerminalSettings.size
        let output = TerminalOutput(
            plain: PlainOutput(clock: LocalTime.text, day: LocalTime.date), hasColors: hasColors)
        let session = TerminalSession(
            columns: size.columns, rows: size.rows, output: output,
            bell: Bell(isQuiet: arguments.isQuiet, notifies: arguments.notifies))
        let loop = try runningLoop("terminal")
        return try StartFailure.naming { () throws(SystemError) in
            try TerminalOwner(on: loop, session: session, departure: departure, typing: typing)
        }
    }

    private static func configuration(_ arguments: Arguments) -> NodeConfiguration {
        var configuration = NodeConfiguration()
        configuration.nickname = arguments.nickname
        configuration.room = arguments.room
        configuration.port = arguments.port
        configuration.messagesPerSecond = arguments.rate ?? configuration.messagesPerSecond
        configuration.sharesHistory = arguments.sharesHistory
        configuration.readReceipts = arguments.readReceipts
        return configuration
    }

    private static func discoveries(_ arguments: Arguments) throws(SystemError) -> [any PeerDiscovery] {
        let policy: AvahiDiscovery.Policy? =
            switch arguments.discovery {
            case .auto: .automatic
            case .daemon: .daemon
            case .embedded: .embedded
            case .none: nil
            }
        var discoveries: [any PeerDiscovery] = []
        if let policy { discoveries.append(try AvahiDiscovery(policy: policy, interfaces: arguments.interfaces)) }
        if !arguments.peers.isEmpty {
            discoveries.append(try StaticDiscovery(peers: arguments.peers))
        }
        return discoveries
    }
}
