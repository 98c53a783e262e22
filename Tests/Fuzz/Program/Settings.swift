import Chat
import Discovery
import Wire

@testable import Settings

extension FuzzTarget {
    /// For all arguments, environments and configuration files, the program starts with valid settings or reports an error
    /// that can be displayed.
    static let arguments = FuzzTarget(name: "arguments", seeds: SettingsRules.seeds) { input in
        let parts = input.split(separator: 1, omittingEmptySubsequences: false).map {
            $0.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
        }
        let words = parts.first ?? []
        let pairs = parts.dropFirst().first ?? []
        let file = input.split(separator: 1, maxSplits: 2, omittingEmptySubsequences: false).dropFirst(2).first
        let surroundings = SettingsRules.surroundings(pairs, file: file.map(Array.init))
        do throws(UsageError) {
            SettingsRules.check(try Invocation(parsing: words, in: surroundings))
        } catch {
            demand(DisplayGuard.safe(error.message) == error.message, "an error that can not be displayed")
            demand(!error.message.isEmpty, "an error without a message")
        }
    }

    /// The settings of a file are those of its lines, and a file written from them has equal settings.
    static let configuration = FuzzTarget(name: "configuration", seeds: SettingsRules.files) { input in
        do throws(ConfigurationError) {
            let entries = try ConfigurationFile.entries(in: input)
            let lines = entries.map(\.line)
            demand(Set(lines).count == lines.count && lines == lines.sorted(), "two settings on one line")
            demand(lines.allSatisfy { $0 >= 1 && $0 <= input.count + 1 }, "a line beyond the end")
            let written = entries.map { "\($0.name) = \($0.value)\n" }.joined()
            guard SettingsRules.isPlain(written) else { return }
            let again = try ConfigurationFile.entries(in: Array(written.utf8))
            let isSame = again.map(\.name) == entries.map(\.name) && again.map(\.value) == entries.map(\.value)
            demand(isSame, "a written file has other settings")
        } catch {
            demand(DisplayGuard.safe(error.message) == error.message, "an error that can not be displayed")
        }
    }
}

private enum SettingsRules {
    static func seeds() -> [[UInt8]] {
        let lines = lines.map { $0.split(separator: " ").joined(separator: "\u{0}") + "\u{1}\u{1}" }
        return (lines + surrounded).map { Array($0.utf8) }
    }

    /// Command lines of each command, true ones and some with a slip.
    private static var lines: [String] {
        [
            "--nick otter --room=tea --port 4000", "--rate=1e-320 --port=65536", "--rate 1.7976931348623157e308",
            "--passphrase-fd=9223372036854775808", "--identity me --passphrase-fd=3 --discovery=none --interface=lo",
            "chat --room a --key-file k --room b --key-fd 4 --peer h:1 --port 2 --no-history --read-receipts --cover",
            "--json --open --web 8080 --stomp --irc=6668 --token-file t --control c --quiet --notify --all --stream one",
            "--plain --no-input --log-level debug --no-control --allow-root --no-config --bridgeable off --web",
            "--bridge amqps://h/v --bridge-key k --bridge-password p --bridge-ca c", "--bridge http://h",
            "--bridge-key k",
            "--peer [fe80::1%eth0]:4000 --peer --rate", "--rate=2.5x", "--rate nan", "--web x", "--web=x", "--json=1",
            "--passphrase-fd 3", "--nope", "--jsn", "-h", "--version", "-- --help", "chat x", "chat chat x",
            "send chat",
            "-- send", "snd", "x --nick", "--nick",
            "--room " + Array(repeating: "--room x", count: 18).joined(separator: " "),
            "simulate --churn=1e-320 --rate=1e308 --latency 0-1e400",
            "simulate --nodes 20 --latency 1-20 --loss=3 --sack",
            "simulate --nodes 8 --rooms 2 --messages 9 --reactions 1 --slow 10:5 --links 4 --partition 3 --seed 7 --json",
            "simulate --growth 9 --nodes 8", "simulate --growth 4 --nodes 8 --links 3", "simulate --outages 2",
            "simulate --vanish",
            "simulate --networks 3 --nodes 1000", "simulate --networks 2 --churn 3", "simulate --kill 10@900",
            "simulate --sack",
            "simulate --rooms 2 --attackers 10:flood", "simulate --addresses 4 --links 3",
            "simulate --asymmetric --latency 10",
            "simulate --attackers x", "simulate --attackers 10:x", "simulate --slow 10", "simulate --kill 10",
            "simulate --rate x",
            "help send x", "send", "send - --in tea", "send -", "--key-fd 3", "--bridge amqps://h/v",
            "--room tea --key-file a --key-fd 3",
            "simulate --networks 2 --outages 1 --asymmetric --latency 10-50 --limits", "simulate --kill 10@2 --vanish",
            "simulate --growth 4 --nodes 8 --churn 3 --residents 2 --sample 1",
            "simulate --attackers 10:flood --addresses 4",
            "doctor --json --port 1 --irc --room x --config f", "doctor --bridge amqp://h --discovery daemon",
            "identity show file", "identity new file --passphrase --json", "identity new f --passphrase-fd 3",
            "identity burn f",
            "room new kitchen", "room new", "room old x y", "bridge new f", "bridge", "help bash", "help --man", "help",
            "help --completion zsh", "help --completion fish", "help --completion csh", "help send",
            "send hello --to ben --json",
            "send", "tail --history --json --control c", "who --json", "who x", "stats --prometheus",
            "stats --json --room x",
        ]
    }

    /// Command lines with variables and a file.
    private static var surrounded: [String] {
        [
            "--peer\u{0}[fe80::1%eth0]:4000\u{0}--rate=2.5\u{0}--json\u{1}EARSHOT_NICK=heron\u{0}HOME=/h\u{1}room = x\n",
            "--config\u{0}f\u{1}\u{1}nick=a\nquiet=true",
            "\u{1}EARSHOT_PEER=h:1 h:2\u{0}EARSHOT_QUIET=true\u{0}EARSHOT_WEB=true\u{0}HOME=/h\u{1}web=false\nirc=7000\npeer=h:3\n",
            "\u{1}EARSHOT_QUIET=x\u{1}", "\u{1}EARSHOT_WEB=x\u{1}", "\u{1}EARSHOT_PORT=x\u{1}",
            "\u{1}HOME=/h\u{1}quiet=no\n",
            "\u{1}HOME=/h\u{1}web=no\n", "\u{1}XDG_CONFIG_HOME=/c\u{1}nope = 1\n", "\u{1}HOME=/h\u{1}nick=\n",
            "\u{1}HOME=/h\u{1}room = a\nroom = b\nkey-file = k\nlog-level = info\n",
            "--no-config\u{1}HOME=/h\u{1}nope = 1\n",
            "send\u{0}hi\u{1}HOME=/h\u{0}EARSHOT_CONTROL=c\u{1}control = d\n",
            "doctor\u{1}HOME=/h\u{1}port = 3\nnick = a\n",
        ]
    }

    static func files() -> [[UInt8]] {
        [
            "# settings\nnick = otter\n\nroom=tea  \r\nquiet = true\npeer = 192.0.2.7:4000\npeer = h:1\n", "a=b=c", "=",
            "x", " y = \n",
        ].map { Array($0.utf8) }
    }

    static func surroundings(_ pairs: [String], file: [UInt8]?) -> Surroundings {
        var variables: [String: String] = [:]
        for pair in pairs {
            let parts = pair.split(separator: "=", maxSplits: 1)
            if parts.count == 2 { variables[String(parts[0])] = String(parts[1]) }
        }
        let known = variables
        return Surroundings(
            variable: { known[$0] },
            read: { (_, count) throws(UsageError) in file.map { Array($0.prefix(count)) } })
    }

    static func check(_ invocation: Invocation) {
        switch invocation {
        case .chat(let arguments): check(arguments)
        case .simulate(let settings): _ = settings
        case .ask(let question):
            if case .these(let requests) = question.requests {
                demand(!requests.isEmpty, "a control command without a request")
            }
        case .document(let document): demand(!document.text.isEmpty, "an empty document")
        case .help(let command): demand(!HelpText.text(for: command).isEmpty, "an empty help")
        case .room(let arguments): demand(!arguments.name.isEmpty, "a room without a name")
        case .bridge(let arguments): demand(!arguments.file.isEmpty, "a key without a file")
        case .doctor, .identity, .version: break
        }
    }

    /// True if no character of a line forms one grapheme cluster with the "=" or the space beside it.
    static func isPlain(_ text: String) -> Bool {
        let equals = text.utf8.count { $0 == UInt8(ascii: "=") }
        return equals == text.count { $0 == "=" } && text.allSatisfy { $0 == " " || !$0.unicodeScalars.contains(" ") }
    }

    private static func check(_ arguments: Arguments) {
        if let nickname = arguments.nickname { PayloadRules.check(nickname: nickname) }
        demand(!arguments.room.isEmpty, "a room without a name")
        for room in arguments.rooms { check(arguments, room) }
        demand(arguments.readsInput || arguments.outlivesInput, "a node that nothing keeps alive")
        for peer in arguments.peers { demand(peer.port > 0 && !peer.host.isEmpty, "a peer without an address") }
        if let rate = arguments.rate {
            demand(rate.isFinite && rate >= 0, "a rate of \(rate)")
            checkPace(Rate(perSecond: rate, burst: 1))
        }
        demand(arguments.phraseDescriptor ?? 0 >= 0, "a descriptor below zero")
        demand(arguments.identity != "", "an identity without a name")
        _ = Room(openNamed: arguments.room)
    }

    private static func check(_ arguments: Arguments, _ room: RoomSetup) {
        let network = arguments.network(of: room)
        demand(
            network.peers == room.peers && network.interfaces == arguments.interfaces, "another network than asked for")
        demand(!room.choice.name.isEmpty, "a room without a name")
    }

    private static func checkPace(_ rate: Rate) {
        let start = Instant(nanoseconds: 0)
        var bucket = TokenBucket(rate, now: start)
        demand(bucket.takeTokens(now: start), "no token at the start")
        let wait = bucket.wait(now: start)
        demand(rate.isUnlimited || wait > .zero, "no wait for a token")
        _ = bucket.takeTokens(now: start + wait)
    }
}
