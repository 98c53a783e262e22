import Reactor
import Chat
import Discovery

/// The options of `earshot chat`, the command that needs no name.
extension Arguments: ControlledSettings, RoomSettings, BridgeSettings {
    package static let command = Invocation.CommandName.chat
    package static let summary = "chat with the people in the room; the default command"
    package static let options: [Option<Arguments>] =
        identity + rooms + network + bridges + presentation + ConfigurationChoice.options()

    private static let identity: [Option<Arguments>] = [
        .value(
            "--nick", "NAME", "your nickname; without it, that of the kept identity, or a random one",
            wanted: "1 to 24 visible characters", { try? Nickname.compose($0) }
        ) { arguments, nickname in arguments.changeRoom { $0.nickname = nickname } },
        .file("--identity", "be the same in each run: the key is kept in this file, or made there") {
            $0.identity = $1
        },
        .descriptor("--passphrase-fd", "take that file's pass phrase from this open descriptor") {
            $0.phraseDescriptor = $1
        },
    ]

    private static let rooms = roomOptions(
        "room to join (default lobby); repeat for more, each before its options", areSeveral: true)

    private static let network: [Option<Arguments>] = [
        .value(
            "--peer", "HOST:PORT", "also dial this address; may be given again",
            wanted: "a host and a port, like 192.0.2.7:4000 or [2001:db8::7]:4000", { PeerAddress($0) }
        ) { arguments, peer in arguments.changeRoom { $0.peers.append(peer) } }.repeatable(),
        .port("--port", "the TCP port to listen on (default: any that is free)") { arguments, port in
            arguments.changeRoom { $0.port = port }
        },
        .interface("use only this network interface; may be given again") { $0.interfaces.append($1) },
        .choice("--discovery", "WAY", "how to find peers: auto, daemon, embedded or none (default auto)") {
            $0.discovery = $1
        },
        .flag("--no-history", "neither ask for past messages nor offer them") { $0.sharesHistory = false },
        .flag("--read-receipts", "tell what you read of direct messages, and see it of others who do") {
            $0.readReceipts = true
        },
        .flag("--cover", "hide when you write in private: a record a second to each neighbour") {
            $0.sendsCover = true
        },
        .value(
            "--rate", "N", "messages per second and author (default 2; 0: no limit on one's own)",
            wanted: "0 or a number of messages a second from 0.001 to 1000000",
            { Double(decimal: $0).flatMap { $0 == 0 || (0.001...1_000_000).contains($0) ? $0 : nil } }
        ) { $0.rate = $1 },
    ]

    private static let bridges: [Option<Arguments>] =
        bridgeOptions + [
            .choice(
                "--bridgeable", "on|off", "bridges may carry what you say, or not (default: on with a key)",
                among: ["on", "off"]
            ) { arguments, word in arguments.changeRoom { $0.consentsToBridges = word == "on" } }
        ]

    private static let presentation: [Option<Arguments>] = [
        .flag("--json", "one line of JSON for each event on standard output") { $0.format = .json },
        .flag("--plain", "plain lines, also in a terminal") { $0.format = .plain },
        .flag("--no-input", "read no lines: run until a signal, also without a page or a gateway") {
            $0.readsInput = false
        },
        .choice(
            "--stream", "MODE", "show one conversation at a time in a terminal (the default), or all",
            among: ["one", "all"]
        ) { $0.showsAll = $1 == "all" },
        .flag("--all", "the same as --stream all") { $0.showsAll = true },
        .flag("--quiet", "no bell") { $0.isQuiet = true },
        .flag("--notify", "where the bell rings, have the terminal notify you too, without the text") {
            $0.notifies = true
        },
        .choice("--log-level", "LEVEL", "what to say on standard error: error, warning, info or debug") {
            $0.logLevel = $1
        },
        ControlChoice.option("path of the control socket (default earshot/control in $XDG_RUNTIME_DIR)"),
        .flag("--no-control", "no other program reaches this node") { $0.control = .none },
        .server("--web", "a page for browsers of this host, an API for programs", port: standardWebPort) {
            $0.webPort = $1
        },
        .flag("--open", "open that page in your browser, and serve it as --web does") {
            $0.opensPage = true
            $0.webPort = $0.webPort ?? standardWebPort
        },
        .server("--stomp", "a STOMP gateway for this machine's programs", port: 61_613) { $0.stompPort = $1 },
        .server("--irc", "an IRC gateway for this machine's clients", port: 6_667) { $0.ircPort = $1 },
        .file("--token-file", "keep the token of the page and the gateways in this file, or make it there") {
            $0.tokenFile = $1
        },
        .flag("--allow-root", "run as root, also outside a container") { $0.allowsRoot = true },
    ]

    private static let standardWebPort: UInt16 = 4_807
}
