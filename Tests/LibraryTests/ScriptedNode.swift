import Glibc
import Reactor
import Testing

/// A control socket whose connections are served by scripts, one after the other, each on a thread of its own.
final class ScriptedNode: Sendable {
    /// A client, as a script sees it. Its calls wait.
    struct Connection {
        fileprivate let socket: CInt

        func send(_ line: String) {
            var rest = Array((line + "\n").utf8)[...]
            while !rest.isEmpty {
                let count = unsafe rest.withUnsafeBytes {
                    unsafe Glibc.send(socket, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL))
                }
                guard count > 0 else { return }
                rest = rest.dropFirst(count)
            }
        }

        /// The next line; nil once the client has closed, and with an issue where it does neither for 20 s.
        func receive() -> String? {
            var line: [UInt8] = []
            var byte: UInt8 = 0
            errno = 0
            while unsafe Glibc.recv(socket, &byte, 1, 0) == 1 {
                guard byte != 0x0a else { return String(decoding: line, as: UTF8.self) }
                line.append(byte)
            }
            if errno == EAGAIN { Issue.record("the client neither asks nor closes") }
            return nil
        }

        fileprivate func limitWaits() {
            var limit = timeval(tv_sec: 20, tv_usec: 0)
            let size = socklen_t(MemoryLayout<timeval>.size)
            _ = unsafe setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, size)
        }
    }

    let path = ".build/node-of-a-test-\(UInt64.random(in: 0...UInt64.max))"
    private let threads: [EventLoop]

    init(_ scripts: [@Sendable (Connection) -> Void]) throws {
        let path = path
        let address = try #require(UnixAddress(path))
        let listener = try Descriptor("socket", Glibc.socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0))
        try SystemError.check("bind", unsafe address.lend { unsafe bind(listener.number, $0, $1) })
        try SystemError.check("listen", listen(listener.number, 8))
        threads = try scripts.map { _ in try EventLoop(name: "script") }
        for thread in threads { try thread.start() }
        let number = listener.release()
        // Each takes the next connection when the script before it has got its own.
        ScriptedNode.serve(scripts[...], threads[...], listener: number)
    }

    deinit { _ = unsafe unlink(path) }

    private static func serve(
        _ scripts: ArraySlice<@Sendable (Connection) -> Void>, _ threads: ArraySlice<EventLoop>, listener: CInt
    ) {
        guard let script = scripts.first, let thread = threads.first else { return _ = close(listener) }
        thread.execute {
            let socket = accept(listener, nil, nil)
            serve(scripts.dropFirst(), threads.dropFirst(), listener: listener)
            let connection = Connection(socket: socket)
            connection.limitWaits()
            script(connection)
            _ = close(socket)
        }
    }
}
