import Chat
import ChatNode
import Discovery
import Noise
import Reactor
import Transports

/// Makes the parts of the program as the command line asks for them.
extension App {
    static func runningLoop(_ name: String) throws(SystemError) -> EventLoop {
        let loop = try EventLoop(name: name)
        loop.start()
        return loop
    }

    static func makeNode(
        _ arguments: Arguments, on loop: EventLoop, deliver: @escaping @Sendable ([NodeEvent]) -> Void
    ) throws(SystemError) -> Node {
        var randomness = Randomness.system
        let identity = Identity.generate(using: &randomness)
        return Node(
            configuration: configuration(arguments), identity: identity, randomness: randomness, scheduler: loop,
            transport: TCPTransport(loop: loop, interfaces: arguments.interfaces),
            discoveries: try discoveries(arguments), deliver: deliver)
    }

    static func makeDisplay(_ arguments: Arguments, isTyped: Bool, departure: Departure) throws(SystemError) -> Display
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
    ) throws(SystemError) -> TerminalOwner {
        LocalTime.prepare()
        let size = TerminalSettings.size
        let output = TerminalOutput(
            plain: PlainOutput(clock: LocalTime.text, day: LocalTime.date), hasColors: hasColors)
        let session = TerminalSession(
            columns: size.columns, rows: size.rows, output: output, bell: Bell(isQuiet: arguments.isQuiet))
        return try TerminalOwner(
            on: try runningLoop("terminal"), session: session, departure: departure, typing: typing)
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
