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
        [
            "--nick\u{0}otter\u{0}--room=tea\u{0}--port\u{0}4000\u{1}\u{1}",
            "--peer\u{0}[fe80::1%eth0]:4000\u{0}--rate=2.5\u{0}--json\u{1}EARSHOT_NICK=heron\u{0}HOME=/h\u{1}room = x\n",
            "--rate=1e-320\u{0}--port=65536\u{1}\u{1}", "--rate\u{0}1.7976931348623157e308\u{1}\u{1}",
            "--passphrase-fd=9223372036854775808\u{1}\u{1}",
            "simulate\u{0}--churn=1e-320\u{0}--rate=1e308\u{0}--latency\u{0}0-1e400\u{1}\u{1}",
            "simulate\u{0}--nodes\u{0}20\u{0}--latency\u{0}1-20\u{0}--loss=3\u{1}\u{1}", "doctor\u{0}--json\u{1}\u{1}",
            "identity\u{0}show\u{0}file\u{1}\u{1}", "help\u{0}bash\u{1}\u{1}",
            "--config\u{0}f\u{1}\u{1}nick=a\nquiet=true",
            "--identity\u{0}me\u{0}--passphrase-fd=3\u{0}--discovery=none\u{0}--interface=lo\u{1}\u{1}",
        ].map { Array($0.utf8) }
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
        for peer in arguments.peers { demand(peer.port > 0 && !peer.host.isEmpty, "a peer without an address") }
        if let rate = arguments.rate {
            demand(rate.isFinite && rate >= 0, "a rate of \(rate)")
            checkPace(Rate(perSecond: rate, burst: 1))
        }
        demand(arguments.phraseDescriptor ?? 0 >= 0, "a descriptor below zero")
        demand(arguments.identity != "", "an identity without a name")
        _ = Room(openNamed: arguments.room)
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
