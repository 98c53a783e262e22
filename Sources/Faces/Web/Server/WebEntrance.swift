import ChatNode
import CLinux
import Hub
import Glibc
import Reactor
import Wire

/// Accepts the connections of the web server, and passes each one on when the head of its first request is here: a client
/// that sends none takes no place in the library.
actor WebEntrance: EventLoopActor {
    /// The time in which the head has to come.
    private static let patience = Duration.seconds(10)

    /// A connection, the bytes that stand for those that were read of it, and whether its target was absolute; the receiver
    /// owns the descriptor. The bytes are no whole head: the library would take one for the body, too.
    typealias Pass = @Sendable (CInt, [UInt8], _ isAbsolute: Bool) -> Void

    /// A client that has just connected may send its head in this time, before it gives way.
    private static let grace = Duration.milliseconds(50)
    /// Connections that the receiver may have without having taken them.
    private static let mostPassing = 16

    private final class Silent {
        var socket: Descriptor?
        let number: CInt
        /// Those that were read, as they were no whole head.
        var bytes: [UInt8] = []
        var start = RequestStart()

        init(_ socket: consuming Descriptor) {
            number = socket.number
            self.socket = consume socket
        }
    }

    let loop: EventLoop
    private let listeners: LoopbackListeners
    private nonisolated let target: RequestTarget
    private var acceptors: [Acceptor] = []
    private var silent: [CInt: Silent] = [:]
    private var quota = ClientQuota<CInt>(patience: WebEntrance.patience)
    private var isArmed = false
    /// Connections that were passed on and not taken yet: their descriptors count in no quota.
    private var passing = 0
    private var hasEnded = false
    private let pass: Pass
    private let freeDescriptor: @Sendable () -> Void
    private let countRefusal: @Sendable () -> Void

    /// - Parameters:
    ///   - freeDescriptor: closes a connection that was passed on, as descriptors are lacking.
    ///   - countRefusal: is called for each client that is let go.
    init(
        on loop: EventLoop, _ listeners: consuming LoopbackListeners, hosts: [String],
        freeDescriptor: @escaping @Sendable () -> Void,
        countRefusal: @escaping @Sendable () -> Void, pass: @escaping Pass
    ) {
        (self.loop, self.pass, self.freeDescriptor, self.countRefusal) = (loop, pass, freeDescriptor, countRefusal)
        target = RequestTarget(hosts: hosts)
        self.listeners = listeners
    }

    func begin() {
        guard acceptors.isEmpty, !hasEnded else { return }
        acceptors = listeners.numbers.map { number in
            makeAcceptor(of: number) {
                $0.letSomeoneGo()
            } take: {
                $0.accepted($1)
            }
        }
        for acceptor in acceptors { acceptor.start() }
    }

    func end() {
        hasEnded = true
        for acceptor in acceptors { acceptor.stop() }
        for number in Array(silent.keys) { drop(number) }
    }

    /// The receiver has taken connections.
    func taken(_ count: Int) {
        passing -= count
        if passing < WebEntrance.mostPassing { for acceptor in acceptors { acceptor.release() } }
    }

    /// The receiver has closed a connection: descriptors may be there again.
    func hasSpace() { for acceptor in acceptors { acceptor.start() } }

    /// The client that came first goes, unless its head has just come.
    private func letSomeoneGo() -> Bool {
        guard let oldest = quota.removeOldestStranger(at: .monotonic, behind: WebEntrance.grace) else {
            freeDescriptor()
            return false
        }
        giveWay(oldest)
        return silent[oldest] == nil && passing < WebEntrance.mostPassing
    }

    /// Reads the bytes that a client has sent, and refuses it if they are no whole head.
    private func giveWay(_ number: CInt) {
        read(number)
        if silent[number] != nil { refuse(number) }
    }

    private func accepted(_ socket: CInt) {
        var on: CInt = 1
        _ = unsafe setsockopt(socket, CInt(IPPROTO_TCP), TCP_NODELAY, &on, 4)
        silent[socket] = Silent(Descriptor(owning: socket))
        if let oldest = quota.arrive(socket, at: loop.now) { giveWay(oldest) }
        guard (try? watch(socket, .readable, { entrance, _ in entrance.read(socket) })) != nil else {
            return drop(socket)
        }
        arm()
    }

    private func read(_ number: CInt) {
        guard let client = silent[number] else { return }
        let most = RequestStart.longest - client.bytes.count
        guard let next = receive(from: number, most, CInt(MSG_PEEK)) else { return drop(number) }
        guard !next.isEmpty else { return }
        switch client.start.read(next) {
        case .unknown where next.count < most: client.bytes += receive(from: number, next.count) ?? []
        case .unknown, .whole: passOn(client, next)
        case .bad:
            _ = receive(from: number, RequestStart.longest)
            answer(RequestGate.badHead, to: client)
        }
    }

    /// Passes a connection on, with the bytes that stand for those that were read.
    private func passOn(_ client: Silent, _ next: [UInt8]) {
        guard case .absolute(let count, let bytes) = target.reading(of: client.bytes + next) else {
            return passOn(client, client.bytes, isAbsolute: false)
        }
        _ = receive(from: client.number, count - client.bytes.count)
        passOn(client, bytes + client.bytes.dropFirst(count), isAbsolute: true)
    }

    /// Answers a client whose bytes the library would not understand.
    private func answer(_ answer: WebAnswer, to client: Silent) {
        let bytes = answer.bytes
        let flags = CInt(MSG_NOSIGNAL)
        _ = unsafe bytes.withUnsafeBytes { unsafe send(client.number, $0.baseAddress, $0.count, flags) }
        refuse(client.number)
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
        passing += 1
        if passing >= WebEntrance.mostPassing { for acceptor in acceptors { acceptor.hold() } }
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
        schedule(at: deadline) { $0.wake() }
    }

    private func wake() {
        isArmed = false
        for number in quota.removeOverdue(at: loop.now) { refuse(number) }
        arm()
    }
}
