import Process
import Chat
import Composition
import Discovery

/// The options of `earshot chat`, the command that needs no name.
extension Arguments: ControlledSettings, RoomSettings, BridgeSettings {
    package static let summary = "chat with the people in the room; the default command"
    package static let operands = ""
    package static let options: [Option<Arguments>] =
        identity + rooms + network + bridges + presentation + ConfigurationChoice.options()

    private static let identity: [Option<Arguments>] = [
        Option(
            name: "--nick", help: "your nickname; without it, that of the kept identity, or a random one",
            kind: .value("NAME", wanted: "1 to 24 visible characters") { arguments, value in
                guard let nickname = try? Nickname.compose(value) else { return false }
                arguments.changeRoom { $0.nickname = nickname }
                return true
            }),
        Option(
            name: "--identity", help: "be the same in each run: the key is kept in this file, or made there",
            kind: .value("FILE", wanted: "a file") { arguments, value in
                arguments.identity = value
                return !value.isEmpty
            }),
        Option(
            name: "--passphrase-fd", help: "take that file's pass phrase from this open descriptor",
            kind: .value("N", wanted: "the number of an open descriptor") { arguments, value in
                CInt(decimal: value).map { arguments.phraseDescriptor = $0 } != nil
            }),
    ]

    private static let rooms = roomOptions(
        "room to join (default lobby); repeat for more, each before its options", areSeveral: true)

    private static let network: [Option<Arguments>] = [
        Option(
            name: "--peer", help: "also dial this address; may be given again",
            kind: .value("HOST:PORT", wanted: "a host and a port, like 192.0.2.7:4000 or [2001:db8::7]:4000") {
                arguments, value in
                guard let peer = PeerAddress(value) else { return false }
                arguments.changeRoom { $0.peers.append(peer) }
                return true
            }, isRepeatable: true),
        Option(
            name: "--port", help: "the TCP port to listen on (default: any that is free)",
            kind: .value("N", wanted: Wanted.port) { arguments, value in
                guard let port = UInt16(decimal: value) else { return false }
                arguments.changeRoom { $0.port = port }
                return true
            }),
        Option(
            name: "--interface", help: "use only this network interface; may be given again",
            kind: .value("NAME", wanted: Wanted.interface) { arguments, value in
                arguments.interfaces.append(value)
                return Wanted.isInterface(value)
            }, isRepeatable: true),
        Option(
            name: "--discovery", help: "how to find peers: auto, daemon, embedded or none (default auto)",
            kind: .value("WAY", wanted: "auto, daemon, embedded or none") { arguments, value in
                Arguments.Discovery(rawValue: value).map { arguments.discovery = $0 } != nil
            }, choices: Arguments.Discovery.allCases.map(\.rawValue)),
        Option(
            name: "--no-history", help: "neither ask for past messages nor offer them",
            kind: .flag { $0.sharesHistory = false }),
        Option(
            name: "--read-receipts", help: "tell what you read of direct messages, and see it of others who do",
            kind: .flag { $0.readReceipts = true }),
        Option(
            name: "--rate", help: "messages per second and author (default 2; 0: no limit on one's own)",
            kind: .value("N", wanted: "0 or a number of messages a second from 0.001 to 1000000") { arguments, value in
                rate(value).map { arguments.rate = $0 } != nil
            }),
    ]

    private static let bridges: [Option<Arguments>] =
        bridgeOptions + [
            Option(
                name: "--bridgeable",
                help: "bridges may carry what you say, or not (default: on with a key)",
                kind: .value("on|off", wanted: "on or off") { arguments, value in
                    arguments.changeRoom { $0.consentsToBridges = value == "on" }
                    return ["on", "off"].contains(value)
                }, choices: ["on", "off"])
        ]

    private static let presentation: [Option<Arguments>] = [
        Option(
            name: "--json", help: "one line of JSON for each event on standard output",
            kind: .flag { $0.format = .json }),
        Option(
            name: "--plain", help: "plain lines, also in a terminal",
            kind: .flag { $0.format = .plain }),
        Option(
            name: "--no-input", help: "read no lines: run until a signal, also without a page or a gateway",
            kind: .flag { $0.readsInput = false }),
        Option(
            name: "--stream", help: "show one conversation at a time in a terminal (the default), or all",
            kind: .value("MODE", wanted: "one or all") { arguments, value in
                arguments.showsAll = value == "all"
                return ["one", "all"].contains(value)
            }, choices: ["one", "all"]),
        Option(name: "--all", help: "the same as --stream all", kind: .flag { $0.showsAll = true }),
        Option(name: "--quiet", help: "no bell", kind: .flag { $0.isQuiet = true }),
        Option(
            name: "--notify", help: "where the bell rings, have the terminal notify you too, without the text",
            kind: .flag { $0.notifies = true }),
        Option(
            name: "--log-level", help: "what to say on standard error: error, warning, info or debug",
            kind: .value("LEVEL", wanted: "error, warning, info or debug") { arguments, value in
                LogLevel(rawValue: value).map { arguments.logLevel = $0 } != nil
            }, choices: LogLevel.allCases.map(\.rawValue)),
        ControlChoice.option(
            "path of the control socket (default earshot/control in $XDG_RUNTIME_DIR)"),
        Option(
            name: "--no-control", help: "no other program reaches this node", kind: .flag { $0.control = .none }),
        server("--web", "a page for browsers of this host, an API for programs", port: 4_807) { $0.webPort = $1 },
        server("--stomp", "a STOMP gateway for this machine's programs", port: 61_613) { $0.stompPort = $1 },
        Option(
            name: "--allow-root", help: "run as root, also outside a container",
            kind: .flag { $0.allowsRoot = true }),
    ]

    /// An option that serves other programs of this machine.
    ///
    /// - Parameter port: where it is without a value.
    private static func server(
        _ name: String, _ help: String, port standard: UInt16,
        _ set: @escaping @Sendable (inout Arguments, UInt16) -> Void
    ) -> Option<Arguments> {
        Option(
            name: name, help: "\(help) (default port \(standard))",
            kind: .number("PORT", wanted: Wanted.port) { arguments, value in
                guard let port = value.map({ UInt16(decimal: $0) }) ?? standard else { return false }
                set(&arguments, port)
                return true
            })
    }

    private static func rate(_ text: String) -> Double? {
        Double(decimal: text).flatMap { $0 == 0 || (0.001...1_000_000).contains($0) ? $0 : nil }
    }
}
