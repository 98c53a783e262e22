import CAvahi
import CAvahiCore
import CLinux
import ChatNode
import Glibc
import Reactor
import Synchronization
import Phrases
import Wire

/// A thread that looks the names of peers up: until they are known, again after a failed dial, and every 5 min, since the
/// address behind a name may change.
///
/// A thread, because the system's resolver blocks and can not be interrupted: nor is the thread waited for.
final class StaticSearch: Sendable {
    typealias LookUp = @Sendable (PeerAddress) throws(LookupFailure) -> [Endpoint]

    private struct State {
        /// Nil before the start and after the end.
        var tell: (@Sendable (DiscoveryEvent) -> Void)?
        /// Instances with a failed dial since their last lookup.
        var failed: Set<String> = []
    }

    /// A peer's endpoints as of the last lookup that found any, and the time of the next lookup.
    private struct Entry {
        let peer: PeerAddress
        var known: Set<Endpoint> = []
        var lookedUpAt: Instant?
        /// The failure of the last lookup, which the user knows of.
        var failure: LookupFailure?
        var due: Instant
        var pauses = Backoff(from: .seconds(1), to: .seconds(60))
    }

    /// A name is not looked up again sooner, however many of its dials fail.
    private static let shortestInterval = Duration.seconds(1)

    private let peers: [PeerAddress]
    private let lookUp: LookUp
    private let state = Mutex(State())
    /// Readable when `state` has changed.
    private let change: Descriptor

    init(peers: [PeerAddress], lookUp: @escaping LookUp) throws(SystemError) {
        self.peers = peers
        self.lookUp = lookUp
        change = try Descriptor("eventfd", eventfd(0, CInt(EFD_CLOEXEC) | CInt(EFD_NONBLOCK)))
    }

    /// Once.
    func start(_ tell: @escaping @Sendable (DiscoveryEvent) -> Void) {
        guard !peers.isEmpty else { return }
        state.withLock { $0.tell = tell }
        var thread = pthread_t()
        let own = unsafe Unmanaged.passRetained(self)
        let status = unsafe pthread_create(
            &thread, nil,
            { argument in
                guard let argument = unsafe argument else { return nil }
                unsafe Unmanaged<StaticSearch>.fromOpaque(argument).takeRetainedValue().run()
                return nil
            }, own.toOpaque())
        guard status != 0 else {
            pthread_detach(thread)
            return
        }
        unsafe own.release()
        let reason = SystemError(call: "pthread_create", errno: status).description
        for peer in peers { tell(.warning(.peerUnreachable, Sentence(.unreachable, peer.text, reason))) }
    }

    func stop() {
        state.withLock { $0 = State() }
        signalChange()
    }

    /// Has a named peer looked up again; other instances are ignored.
    func dialFailed(_ instance: String) {
        guard peers.contains(where: { $0.text == instance }) else { return }
        state.withLock { _ = $0.failed.insert(instance) }
        signalChange()
    }

    private func signalChange() {
        var one: UInt64 = 1
        _ = unsafe write(change.number, &one, MemoryLayout<UInt64>.size)
    }

    private func run() {
        var entries = peers.map { Entry(peer: $0, due: .monotonic) }
        while true {
            let (isOver, failed) = state.withLock { state in
                defer { state.failed = [] }
                return (state.tell == nil, state.failed)
            }
            if isOver { return }
            for index in entries.indices {
                if failed.contains(entries[index].peer.text), let last = entries[index].lookedUpAt {
                    entries[index].due = min(entries[index].due, last + StaticSearch.shortestInterval)
                }
                if entries[index].due <= .monotonic { refresh(&entries[index]) }
            }
            wait(until: entries.map(\.due).min() ?? .monotonic)
        }
    }

    private func refresh(_ entry: inout Entry) {
        defer { entry.lookedUpAt = .monotonic }
        do throws(LookupFailure) {
            let addresses = try lookUp(entry.peer)
            guard !addresses.isEmpty else { throw LookupFailure(reason: "it has no address") }
            let endpoints = addresses.filter { !$0.isLinkLocalIPv6 || $0.scope != 0 }
            guard !endpoints.isEmpty else { throw LookupFailure.noInterface }
            entry.failure = nil
            entry.pauses.reset()
            entry.due = .monotonic + Limits.namedPeerRefresh
            adopt(endpoints, &entry)
        } catch {
            entry.due = .monotonic + entry.pauses.next()
            warn(of: error, &entry)
        }
    }

    /// Tells of a failure once, until a lookup succeeds or fails for another reason.
    private func warn(of failure: LookupFailure, _ entry: inout Entry) {
        guard entry.failure != failure, let tell = state.withLock({ $0.tell }) else { return }
        entry.failure = failure
        tell(.warning(.peerUnreachable, Sentence(.unreachable, entry.peer.text, failure.reason)))
    }

    private func adopt(_ endpoints: [Endpoint], _ entry: inout Entry) {
        guard entry.known != Set(endpoints), let tell = state.withLock({ $0.tell }) else { return }
        if entry.known.isEmpty {
            for endpoint in endpoints {
                tell(.found(instance: entry.peer.text, endpoint: endpoint, weight: 1))
            }
        } else {
            tell(.moved(instance: entry.peer.text, endpoints: endpoints))
        }
        entry.known = Set(endpoints)
    }

    private func wait(until due: Instant) {
        let pause = EventLoop.pause(until: due, at: .monotonic)
        let milliseconds = max(0, pause / .milliseconds(1)).rounded(.up)
        var request = pollfd(fd: change.number, events: Int16(POLLIN), revents: 0)
        guard unsafe poll(&request, 1, CInt(milliseconds)) > 0 else { return }
        var count: UInt64 = 0
        _ = unsafe read(change.number, &count, MemoryLayout<UInt64>.size)
    }
}

extension Limits {
    /// Between two lookups of a host name that the user gave as a peer: its address may change. A shorter one costs
    /// name servers; with a longer one, a peer that moved is found later.
    static let namedPeerRefresh = Duration.seconds(300)
}
