import CAvahi
import CAvahiCore
import CLinux
import ChatNode
import Glibc
import Reactor
import Synchronization

/// A thread that looks names up until all are known, or nobody wants to know any more.
///
/// A thread, because the system's resolver waits and nothing can end its waiting: nor is the thread waited for.
final class StaticSearch: Sendable {
    private let peers: [PeerAddress]
    private let tell = Mutex<(@Sendable (DiscoveryEvent) -> Void)?>(nil)
    /// Readable once it is over.
    private let end: Descriptor

    init(peers: [PeerAddress]) throws(SystemError) {
        self.peers = peers
        end = try Descriptor("eventfd", eventfd(0, CInt(EFD_CLOEXEC) | CInt(EFD_NONBLOCK)))
    }

    /// Once.
    func start(_ tell: @escaping @Sendable (DiscoveryEvent) -> Void) {
        guard !peers.isEmpty else { return }
        self.tell.withLock { $0 = tell }
        var thread = pthread_t()
        let own = unsafe Unmanaged.passRetained(self)
        let status = unsafe pthread_create(
            &thread, nil,
            { argument in
                guard let argument = unsafe argument else { return nil }
                unsafe Unmanaged<StaticSearch>.fromOpaque(argument).takeRetainedValue().run()
                return nil
            }, own.toOpaque())
        if status == 0 { pthread_detach(thread) } else { unsafe own.release() }
    }

    func stop() {
        tell.withLock { $0 = nil }
        var one: UInt64 = 1
        _ = unsafe write(end.number, &one, MemoryLayout<UInt64>.size)
    }

    private func run() {
        var unknown = peers
        var pauses = Backoff(from: .seconds(1), to: .seconds(60))
        while !isOver {
            unknown.removeAll(where: isFound)
            if unknown.isEmpty { return }
            pause(pauses.next())
        }
    }

    private var isOver: Bool { tell.withLock { $0 == nil } }

    private func isFound(_ peer: PeerAddress) -> Bool {
        let endpoints = Resolver.endpoints(of: peer)
        guard let tell = tell.withLock({ $0 }) else { return false }
        for endpoint in endpoints { tell(.found(instance: peer.text, endpoint: endpoint)) }
        return !endpoints.isEmpty
    }

    private func pause(_ duration: Duration) {
        var request = pollfd(fd: end.number, events: Int16(POLLIN), revents: 0)
        _ = unsafe poll(&request, 1, CInt(duration.components.seconds) * 1_000)
    }
}
