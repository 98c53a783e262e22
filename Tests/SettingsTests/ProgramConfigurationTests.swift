import Glibc
import TestSupport
import Testing

@testable import Reactor
@testable import Discovery
@testable import Settings

@Suite struct ProgramConfigurationTests {
    /// A person at `/people/ann` with a file of their own and some variables.
    private static func surroundings(_ file: String?, _ variables: [String: String] = [:]) -> Surroundings {
        let bytes = file.map { Array($0.utf8) }
        return Surroundings(
            variable: { $0 == "HOME" ? "/people/ann" : variables[$0] },
            read: { path, _ in path == "/people/ann/.config/earshot/config" ? bytes : nil })
    }

    private static func arguments(
        _ words: [String] = [], file: String? = nil, _ variables: [String: String] = [:]
    ) throws -> Arguments {
        try Arguments(parsing: words, in: surroundings(file, variables))
    }

    @Test func `a line is a name, an equals sign and a value; white space around them is nothing`() throws {
        let text = "\u{feff}# who I am\n\n \u{a0}nick\u{a0}=  quiet otter \r\nroom=a=b # c\n\t#peer\npeer\t=\t[::1]:1"
        #expect(
            try ConfigurationFile.entries(in: Array(text.utf8)) == [
                ConfigurationEntry(name: "nick", value: "quiet otter", line: 3),
                ConfigurationEntry(name: "room", value: "a=b # c", line: 4),
                ConfigurationEntry(name: "peer", value: "[::1]:1", line: 6),
            ])
        #expect(try ConfigurationFile.entries(in: []) == [])
    }

    @Test func `every option of a chat may stand in the file under its own name`() throws {
        let file = """
            nick = otter
            identity = me
            passphrase-fd = 3
            room = kitchen
            peer = 192.0.2.7:4000
            peer = 192.0.2.8:4000
            port = 4001
            interface = eth0
            discovery = none
            no-history = true
            json = true
            rate = 0.5
            quiet = true
            notify = true
            allow-root = true
            log-level = debug
            """
        let words = [
            "--nick", "otter", "--identity", "me", "--passphrase-fd", "3", "--room", "kitchen", "--peer",
            "192.0.2.7:4000", "--peer", "192.0.2.8:4000", "--port",
            "4001", "--interface", "eth0", "--discovery", "none", "--no-history", "--json", "--rate", "0.5", "--quiet",
            "--notify",
            "--allow-root", "--log-level", "debug",
        ]
        #expect(try Self.arguments(file: file) == Arguments(parsing: words))
    }

    @Test func `options win over variables, and variables over the file`() throws {
        let file = "nick = file\nroom = file\nport = 1\nquiet = true"
        let variables = ["EARSHOT_NICK": "variable", "EARSHOT_ROOM": "variable", "EARSHOT_QUIET": "false"]
        let arguments = try Self.arguments(["--nick", "words"], file: file, variables)
        #expect(arguments.nickname == "words")
        #expect(arguments.room == "variable")
        #expect(arguments.port == 1)
        #expect(!arguments.isQuiet)
    }

    @Test func `a page that is opened is served; a program gets no browser by the file of its user`() throws {
        #expect(try Self.arguments(["--open"]).webPort == 4_807)
        #expect(try Self.arguments(["--open"], file: "web = 5000").webPort == 5_000)
        #expect(try Self.arguments(["--open", "--web=5000"]).webPort == 5_000)
        let opens = { (words: [String], file: String?) throws -> Bool in
            let invocation = try Invocation(parsing: words + ["--allow-root"], in: Self.surroundings(file))
            guard case .chat(let arguments) = invocation else { return false }
            return arguments.opensPage
        }
        #expect(try opens([], "open = true"))
        #expect(try !opens(["--json"], "open = true"))
        #expect(try opens(["--json", "--open"], nil))
        #expect(try !opens(["--web"], nil))
    }

    @Test func `an option that may be given again is replaced as a whole by the stronger source`() throws {
        let file = "peer = a:1\npeer = b:2\ninterface = eth0"
        let variables = ["EARSHOT_INTERFACE": "eth1 eth2", "EARSHOT_LOG_LEVEL": "debug", "EARSHOT_RATE": ""]
        let arguments = try Self.arguments(["--peer", "c:3"], file: file, variables)
        #expect(arguments.peers.map(\.host) == ["c"])
        #expect(arguments.interfaces == ["eth1", "eth2"])
        #expect(arguments.logLevel == .debug)
        #expect(arguments.rate == nil)
        #expect(try Self.arguments(file: file).peers.map(\.host) == ["a", "b"])
    }

    @Test func `of two forms of output the option's wins`() throws {
        #expect(try Self.arguments(["--plain"], file: "json = true").format == .plain)
        #expect(try Self.arguments(file: "json = true\nplain = false").format == .json)
    }

    @Test(arguments: [
        ("\nnik = x", "2: no option \"nik\"; did you mean nick?"),
        ("# x\n\nbanana = 1", "3: no option \"banana\"; see earshot --help"),
        ("config = x", "1: no option \"config\"; see earshot --help"),
        ("--nick = x", "1: no option \"--nick\"; did you mean nick?"),
        ("nick", "1: no \"=\" in \"nick\"; write NAME = VALUE"),
        ("= x", "1: no name before the \"=\"; write NAME = VALUE"),
        ("nick =", "1: \"nick\" has no value; write one, or take the line out"),
        ("nick = a\nnick = b", "2: nick was set in line 1; take one of the two out"),
        ("port = 65536", "1: port can not be \"65536\"; give a port from 0 to 65535"),
        ("quiet = yes", "1: quiet can not be \"yes\"; give true or false"),
        ("nick = a\u{0}", "1: not UTF-8; save the file as UTF-8 text"),
    ])
    func `a fault in the file is reported with its line`(file: String, message: String) {
        #expect(throws: UsageError("/people/ann/.config/earshot/config:" + message)) { try Self.arguments(file: file) }
        // A value that is overruled is wrong all the same.
        #expect(throws: UsageError.self) { try Self.arguments(["--port", "1", "--quiet"], file: file) }
    }

    @Test func `a fault in a variable is reported with its name`() {
        #expect(throws: UsageError("EARSHOT_PORT can not be \"x\"; give a port from 0 to 65535")) {
            try Self.arguments([], ["EARSHOT_PORT": "x"])
        }
        #expect(throws: UsageError("EARSHOT_QUIET can not be \"1\"; give true or false")) {
            try Self.arguments([], ["EARSHOT_QUIET": "1"])
        }
    }

    @Test func `the file is where the XDG directories say, or where an option does`() throws {
        #expect(Self.surroundings(nil).ownFile == "/people/ann/.config/earshot/config")
        #expect(Self.surroundings(nil, ["XDG_CONFIG_HOME": "/etc/xdg"]).ownFile == "/etc/xdg/earshot/config")
        #expect(Self.surroundings(nil, ["XDG_CONFIG_HOME": "here"]).ownFile == "/people/ann/.config/earshot/config")
        #expect(Surroundings.none.ownFile == nil)
        #expect(try Self.arguments(["--no-config"], file: "nick = x").nickname == nil)
        #expect(throws: UsageError("no file \"elsewhere\"; see --config")) {
            try Self.arguments(["--config", "elsewhere"], file: "nick = x")
        }
        var read = Surroundings.none
        read.read = { path, _ in path == "elsewhere" ? Array("nick = y".utf8) : nil }
        #expect(try Arguments(parsing: ["--config=elsewhere"], in: read).nickname == "y")
    }

    @Test func `the doctor takes what it knows from the same file, and passes over the rest`() throws {
        let surroundings = Self.surroundings("nick = x\nroom = kitchen\nport = 4000")
        let settings = try DoctorSettings(parsing: [], in: surroundings)
        #expect(settings.room == "kitchen")
        #expect(settings.port == 4_000)
    }

    @Test func `a file without end is refused, and a file of random bytes is reported as faulty`() {
        let error = #expect(throws: ConfigurationError.self) {
            try ConfigurationFile.entries(in: [UInt8](repeating: 0x0a, count: ConfigurationFile.maximumSize + 1))
        }
        #expect(error?.line == nil)
        var generator = SystemRandomNumberGenerator()
        let alphabet = Array("#=\n\r\t nick".utf8) + [0, 0xc3, 0xa9, 0xff]
        for _ in 0..<500 {
            let count = Int.random(in: 0..<60, using: &generator)
            let bytes = (0..<count).map { _ in alphabet[Int.random(in: alphabet.indices, using: &generator)] }
            let entries = (try? ConfigurationFile.entries(in: bytes)) ?? []
            #expect(entries.allSatisfy { !$0.name.isEmpty && !$0.value.isEmpty && !$0.name.contains("=") })
        }
    }

    @Test func `the program reads the named file, and ends with 2 at a fault in it`() async throws {
        var name = Array("/tmp/earshot-config-XXXXXX".utf8CString)
        let descriptor = unsafe mkstemp(&name)
        try #require(descriptor >= 0)
        let path = String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        defer { _ = unsafe unlink(path) }
        _ = unsafe write(descriptor, "nick = otter\nprot = 1\n", 22)
        close(descriptor)
        let process = try ProgramProcess(["--discovery", "none", "--config", path])
        #expect(await process.complaints() == "earshot: \(path):2: no option \"prot\"; did you mean port?\n")
        #expect(await process.ended() == .exited(2))
    }
}
