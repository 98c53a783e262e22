import CAvahi
import CAvahiCore
import CLinux
import Glibc
import Testing

/// Starts the program under test with descriptors that no other child inherits.
package enum ProgramSpawn {
    package struct Failure: Error {
        package let call: String
        package let number: CInt
    }

    /// The program is beside the tests in the build directory.
    static func path() throws -> String {
        var buffer = [CChar](repeating: 0, count: 4_096)
        let count = unsafe readlink("/proc/self/exe", &buffer, buffer.count)
        guard count > 0 else { throw Failure(call: "readlink", number: errno) }
        let tests = String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let slash = try #require(tests.lastIndex(of: "/"))
        return tests[...slash] + "earshot"
    }

    /// Two ends of a stream.
    static func pair() throws -> (ours: CInt, theirs: CInt) {
        var ends: [CInt] = [-1, -1]
        let kind = CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue)
        guard unsafe socketpair(AF_UNIX, kind, 0, &ends) == 0 else { throw Failure(call: "socketpair", number: errno) }
        return (ends[0], ends[1])
    }

    /// A terminal: our end, and the path of theirs.
    static func terminal() throws -> (ours: CInt, path: String) {
        let ours = unsafe open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        var lock: CInt = 0
        var number: CInt = 0
        guard ours >= 0, unsafe ioctl(ours, unlock, &lock) == 0, unsafe ioctl(ours, getNumber, &number) == 0 else {
            throw Failure(call: "/dev/ptmx", number: errno)
        }
        return (ours, "/dev/pts/\(number)")
    }

    /// In milliseconds.
    private static let patience: CInt = 30_000

    /// TIOCSPTLCK and TIOCGPTN, which are macros of a kind that is not imported.
    private static let unlock: UInt = 0x4004_5431
    private static let getNumber: UInt = 0x8004_5430
    private static let newSession: CInt = 0x80

    /// - Parameters:
    ///   - wrapper: a program and its arguments, to which the command line of the program under test is appended.
    ///   - streams: the child's standard input, output and error; closed here.
    static func start(
        _ options: [String], environment: [String], behind wrapper: [String] = [], streams: [CInt]
    ) throws -> pid_t {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        for (number, stream) in streams.enumerated() {
            unsafe posix_spawn_file_actions_adddup2(&actions, stream, CInt(number))
        }
        defer { for stream in streams { _ = close(stream) } }
        return unsafe try start(wrapper + [path()] + options, environment: environment, flags: 0, &actions)
    }

    /// In a session of its own, whose terminal is the one at `terminal`.
    static func start(_ options: [String], environment: [String], terminal: String) throws -> pid_t {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        for number: CInt in 0...2 { unsafe posix_spawn_file_actions_addopen(&actions, number, terminal, O_RDWR, 0) }
        return unsafe try start([path()] + options, environment: environment, flags: newSession, &actions)
    }

    /// Waits for bytes; nil at the end, and when none come for so long that none will.
    static func read(_ descriptor: CInt) -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            if unsafe poll(&entry, 1, patience) == 0 { return nil }
            let count = unsafe buffer.withUnsafeMutableBytes { unsafe Glibc.read(descriptor, $0.baseAddress, $0.count) }
            if count > 0 { return Array(buffer[..<count]) }
            guard count < 0, errno == EINTR else { return nil }
        }
    }

    private static func start(
        _ command: [String], environment: [String], flags: CInt, _ actions: inout posix_spawn_file_actions_t
    ) throws -> pid_t {
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        // The threads of these tests block signals, which a child would inherit.
        var none = sigset_t()
        unsafe sigemptyset(&none)
        unsafe posix_spawnattr_setsigmask(&attributes, &none)
        unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK) | Int16(flags))
        let words = unsafe command.map { unsafe strdup($0) } + [nil]
        // Of two values of a variable the first one holds: a test may say otherwise.
        // Memory that a program holds at its end is no leak.
        let always = ["EARSHOT_ALLOW_ROOT=true", "ASAN_OPTIONS=detect_leaks=0"]
        let variables = unsafe (environment + always).map { unsafe strdup($0) } + [nil]
        defer { unsafe (words + variables).forEach { unsafe free($0) } }
        var child: pid_t = 0
        let result = unsafe posix_spawn(&child, command[0], &actions, &attributes, words, variables)
        guard result == 0 else { throw Failure(call: "posix_spawn", number: result) }
        return child
    }
}
