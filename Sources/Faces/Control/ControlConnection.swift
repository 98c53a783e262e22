import Commands
import Reactor
import Settings
import CLinux
import Glibc

/// A conversation with a node that runs, from the side that asks. Its calls wait.
struct ControlConnection: ~Copyable {
    /// In bytes; a whole history of the longest messages has less than half.
    private static let longestLine = 8 << 20

    private let socket: Descriptor
    private var splitter = LineSplitter(limit: ControlConnection.longestLine)
    private var buffer = [UInt8](repeating: 0, count: 65_536)

    /// - Throws: `ENAMETOOLONG` for a path that no socket can have.
    init(path: String) throws(SystemError) {
        guard let address = UnixAddress(path) else { throw SystemError(call: "connect", errno: ENAMETOOLONG) }
        let type = CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        let made = try Descriptor("socket", Glibc.socket(AF_UNIX, type, 0))
        try SystemError.check("connect", unsafe address.lend { unsafe connect(made.number, $0, $1) })
        socket = made
    }

    package func send(_ request: ControlRequest) throws(SystemError) {
        try Descriptors.write(Array((request.line + "\n").utf8), to: socket.number)
    }

    /// True if there is no next line because the reader of standard output has closed it.
    private(set) var isUnread = false

    /// The next line of JSON; nil when the node has ended, or the reader of standard output has closed it.
    package mutating func line() -> String? {
        while true {
            switch splitter.next() {
            case .text(let line): return line
            case .invalidUTF8, .tooLong: return nil
            case nil: break
            }
            isUnread = !Descriptors.waitToRead(socket.number, whileReaderOf: Descriptors.output)
            if isUnread { return nil }
            let count = Descriptors.read(into: &buffer, from: socket.number)
            guard count > 0 else { return nil }
            splitter.feed(buffer[..<count])
        }
    }
}
