import CAvahi
import CAvahiCore
import CLinux
import Glibc
import Reactor
import Wire

/// Avahi's idea of an event loop (avahi-common/watch.h) on ours. Confined to that loop, like everything Avahi does with
/// it.
///
/// Several watches may share one descriptor, which epoll does not allow: they are merged. Timeouts are moved much more
/// often than they come, dozens of times for a packet: the loop is asked only for an earlier time than it knows. Both
/// kinds of object may be freed in their own callbacks.
@safe
final class AvahiLoop: DescriptorHandler {
    private let loop: EventLoop
    private var watches: [CInt: [AvahiWatcher]] = [:]
    private var timeouts: [AvahiTimer] = []
    /// The times that the loop was asked for and that have not come, each earlier than the one before.
    private var asked: [Int64] = []
    private let table: UnsafeMutablePointer<AvahiPoll>
    private let gate: MulticastGate?

    /// - Parameter gate: what decides which packets are read; nil to read all.
    init(loop: EventLoop, gate: MulticastGate? = nil) {
        self.loop = loop
        self.gate = gate
        unsafe table = .allocate(capacity: 1)
        unsafe table.initialize(to: AvahiPollTable.make())
        unsafe table.pointee.userdata = Unmanaged.passUnretained(self).toOpaque()
    }

    /// To be called once all Avahi objects that use the loop are freed.
    func close() {
        for descriptor in watches.keys where !interest(in: descriptor).isEmpty { loop.unwatch(descriptor) }
        watches = [:]
        timeouts = []
    }

    deinit {
        unsafe table.deinitialize(count: 1)
        unsafe table.deallocate()
    }

    /// The poll functions for Avahi; valid as long as this object.
    var poll: UnsafePointer<AvahiPoll> { unsafe UnsafePointer(table) }

    func add(_ watch: AvahiWatcher) {
        let wasWatched = !interest(in: watch.descriptor).isEmpty
        watches[watch.descriptor, default: []].append(watch)
        apply(to: watch.descriptor, wasWatched: wasWatched)
    }

    func update(_ watch: AvahiWatcher, _ interest: Interest) {
        let wasWatched = !self.interest(in: watch.descriptor).isEmpty
        watch.interest = interest
        apply(to: watch.descriptor, wasWatched: wasWatched)
    }

    func remove(_ watch: AvahiWatcher) {
        update(watch, [])
        watch.isDead = true
        watches[watch.descriptor]?.removeAll { $0 === watch }
        if watches[watch.descriptor]?.isEmpty == true { watches[watch.descriptor] = nil }
    }

    func add(_ timeout: AvahiTimer) {
        timeouts.append(timeout)
        rearm()
    }

    func remove(_ timeout: AvahiTimer) {
        timeout.deadline = nil
        timeouts.removeAll { $0 === timeout }
        rearm()
    }

    /// Asks to be called at the earliest deadline, unless that happens anyway.
    func rearm() {
        guard let next = timeouts.compactMap(\.deadline).min(), asked.last.map({ next < $0 }) ?? true else { return }
        asked.append(next)
        loop.schedule(at: Instant(nanoseconds: next)) { [weak self] in self?.fire(at: next) }
    }

    func ready(_ descriptor: CInt, _ events: Readiness) {
        if let gate, events == .readable, !gate.hasWelcome(on: descriptor) { return }
        for watch in watches[descriptor] ?? [] where !watch.isDead { watch.tell(events) }
    }

    private func fire(at instant: Int64) {
        asked.removeAll { $0 <= instant }
        let now = Instant.monotonic.nanoseconds
        for timeout in timeouts {
            guard let deadline = timeout.deadline, deadline <= now else { continue }
            timeout.fire()
        }
        rearm()
    }

    private func interest(in descriptor: CInt) -> Interest {
        (watches[descriptor] ?? []).reduce(into: []) { $0.formUnion($1.interest) }
    }

    /// A descriptor without interest is not watched at all: its hang-up would be reported again and again.
    private func apply(to descriptor: CInt, wasWatched: Bool) {
        let interest = interest(in: descriptor)
        switch (wasWatched, interest.isEmpty) {
        // Without it Avahi waits in vain, which its own timeouts notice.
        case (false, false): try? loop.watch(descriptor, interest, self)
        case (true, false): loop.change(descriptor, to: interest)
        case (true, true): loop.unwatch(descriptor)
        case (false, true): break
        }
    }
}
