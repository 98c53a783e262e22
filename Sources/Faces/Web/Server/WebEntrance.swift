import CLinux
import Glibc
import Process
import Reactor
import Wire

/// Accepts the connections of the web server, and passes each one on when its first bytes are here: a client that says
/// nothing takes no place in the library.
actor WebEntrance {
    /// The time in which the first bytes have to come.
    private static let patience = Duration.seconds(10)

    /// A connection, the bytes that stand for those that were read of it, and whether its target was absolute; the receiver
    /// owns the descriptor. The bytes are no whole head: the library would take one for the body, too.
    typealias Pass = @Sendable (CInt, [UInt8], _ isAbsolute: Bool) -> Void

    private final class Silent {
        var socket: Descriptor?
        let number: CInt
        /// Those that were read, as they were not enough to know the target.
        var bytes: [UInt8] = []

        init(_ socket: consuming Descriptor) {
            number = socket.number
            self.socket = consume socket
        }
    }

    private let loop: EventLoop
    private let listeners: LoopbackListeners
    private nonisolated let target: RequestTarget
    private var acceptors: [Acceptor] = []
    private var silent: [CInt: Silent] = [:]
    private var quota = ClientQuota<CInt>(patience: WebEntrance.patience)
    private var isArmed = false
    private var hasEnded = false
    private let pass: Pass
    private let makeRoom: @Sendable () -> Void
    private let countRefusal: @Sendable () -> Void

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

    /// - Parameters:
    ///   - makeRoom: closes a connection that was passed on, as descriptors are lacking.
    ///   - countRefusal: is called for each client that is let go.
    init(
        on loop: EventLoop, _ listeners: consuming LoopbackListeners, hosts: [String],
        makeRoom: @escaping @Sendable () -> Void,
        countRefusal: @escaping @Sendable () -> Void, pass: @escaping Pass
    ) {
        (self.loop, self.pass, self.makeRoom, self.countRefusal) = (loop, pass, makeRoom, countRefusal)
        target = RequestTarget(hosts: hosts)
        self.listeners = listeners
    }

    func begin() {
        guard acceptors.isEmpty, !hasEnded else { return }
        acceptors = listeners.numbers.map { number in
            Acceptor(on: loop, number) { [weak self] in
                self?.assumeIsolated { $0.letSomeoneGo() } ?? false
            } take: { [weak self] socket in
                guard let self else { return _ = close(socket) }
                assumeIsolated { $0.accepted(socket) }
            }
        }
        for acceptor in acceptors { acceptor.start() }
    }

    func end() {
        hasEnded = true
        for acceptor in acceptors { acceptor.stop() }
        for number in Array(silent.keys) { drop(number) }
    }

    private func letSomeoneGo() -> Bool {
        guard let oldest = quota.removeOldestStranger(at: .monotonic) else {
            makeRoom()
            return false
        }
        refuse(oldest)
        return true
    }

    private func accepted(_ socket: CInt) {
        var on: CInt = 1
        _ = unsafe setsockopt(socket, CInt(IPPROTO_TCP), TCP_NODELAY, &on, 4)
        silent[socket] = Silent(Descriptor(owning: socket))
        if let oldest = quota.arrive(socket, at: loop.now) { refuse(oldest) }
        let handler = DescriptorWatch { [weak self] _ in self?.assumeIsolated { $0.read(socket) } }
        guard (try? loop.watch(socket, .readable, handler)) != nil else { return drop(socket) }
        arm()
    }

    private func read(_ number: CInt) {
        guard let client = silent[number] else { return }
        guard let next = receive(from: number, RequestTarget.longest, CInt(MSG_PEEK)) else { return drop(number) }
        guard !next.isEmpty else { return }
        switch target.reading(of: client.bytes + next) {
        case .unknown: client.bytes += receive(from: number, next.count) ?? []
        case .plain: passOn(client, client.bytes, isAbsolute: false)
        case .absolute(let count, let bytes):
            _ = receive(from: number, count - client.bytes.count)
            passOn(client, bytes, isAbsolute: true)
        }
    }

    /// Nil at the end of the connection.
    private func receive(from number: CInt, _ most: Int, _ flags: CInt = 0) -> [UInt8]? {
        guard most > 0 else { return [] }
        var buffer = [UInt8](repeating: 0, count: most)
        let count = unsafe buffer.withUnsafeMutableBytes { unsafe recv(number, $0.baseAddress, $0.count, flags) }
        if count > 0 { return Array(buffer[..<count]) }
        return count < 0 && (errno == EAGAIN || errno == EINTR) ? [] : nil
    }

    private func passOn(_ client: Silent, _ bytes: [UInt8], isAbsolute: Bool) {
        loop.unwatch(client.number)
        quota.leave(client.number)
        silent[client.number] = nil
        guard let socket = client.socket.take() else { return }
        pass(socket.release(), bytes, isAbsolute)
    }

    private func refuse(_ number: CInt) {
        countRefusal()
        drop(number)
    }

    private func drop(_ number: CInt) {
        loop.unwatch(number)
        quota.leave(number)
        silent[number] = nil
    }

    private func arm() {
        guard !isArmed, let deadline = quota.deadline else { return }
        isArmed = true
        loop.schedule(at: deadline) { [weak self] in self?.assumeIsolated { $0.wake() } }
    }

    private func wake() {
        isArmed = false
        for number in quota.removeOverdue(at: loop.now) { refuse(number) }
        arm()
    }
}
