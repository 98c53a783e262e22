import CAvahi
import CAvahiCore
import CLinux
import Glibc
import Reactor
import Wire

/// Avahi's idea of an event loop (avahi-common/watch.h) on ours. Confined to that loop, like everything Avahi does with
/// it.
///
/// Several watches may share one descriptor, which epoll does not allow: they are merged. One timer descriptor serves
/// all timeouts. Both kinds of object may be freed in their own callbacks.
@safe
final class AvahiLoop: DescriptorHandler {
    private let loop: EventLoop
    private let timer: CInt
    private var watches: [CInt: [AvahiWatcher]] = [:]
    private var timeouts: [AvahiTimer] = []
    private var armed: Int64?
    private let table: UnsafeMutablePointer<AvahiPoll>

    init(loop: EventLoop) throws(SystemError) {
        self.loop = loop
        timer = timerfd_create(CLOCK_MONOTONIC, CInt(TFD_NONBLOCK) | CInt(TFD_CLOEXEC))
        guard timer >= 0 else { throw SystemError(call: "timerfd_create", errno: errno) }
        unsafe table = .allocate(capacity: 1)
        unsafe table.initialize(to: AvahiPollTable.make())
        unsafe table.pointee.userdata = Unmanaged.passUnretained(self).toOpaque()
        loop.watch(timer, .readable, self)
    }

    /// The same for those who tell the reason in words.
    static func make(_ loop: EventLoop) throws(ResponderFailure) -> AvahiLoop {
        do { return try AvahiLoop(loop: loop) } catch { throw ResponderFailure(reason: error.description) }
    }

    /// To be called once all Avahi objects that use the loop are freed.
    func close() {
        for descriptor in watches.keys where !interest(in: descriptor).isEmpty { loop.unwatch(descriptor) }
        watches = [:]
        timeouts = []
        loop.unwatch(timer)
        _ = Glibc.close(timer)
    }

    deinit {
        unsafe table.deinitialize(count: 1)
        unsafe table.deallocate()
    }

    /// What Avahi is given; valid as long as this object.
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

    /// Sets the timer to the earliest deadline.
    func rearm() {
        let next = timeouts.compactMap(\.deadline).min()
        guard next != armed else { return }
        armed = next
        var setting = itimerspec()
        // Zero would disarm it.
        let instant = next.map { max($0, 1) } ?? 0
        setting.it_value = timespec(tv_sec: Int(instant / 1_000_000_000), tv_nsec: Int(instant % 1_000_000_000))
        unsafe timerfd_settime(timer, CInt(TFD_TIMER_ABSTIME), &setting, nil)
    }

    func ready(_ descriptor: CInt, _ events: Readiness) {
        if descriptor == timer {
            fire()
            return
        }
        for watch in watches[descriptor] ?? [] where !watch.isDead { watch.tell(events) }
    }

    private func fire() {
        var expirations: UInt64 = 0
        _ = unsafe read(timer, &expirations, 8)
        armed = nil
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

    /// A descriptor that nobody is interested in is not watched at all: its hang-up would be told again and again.
    private func apply(to descriptor: CInt, wasWatched: Bool) {
        let interest = interest(in: descriptor)
        switch (wasWatched, interest.isEmpty) {
        case (false, false): loop.watch(descriptor, interest, self)
        case (true, false): loop.change(descriptor, to: interest)
        case (true, true): loop.unwatch(descriptor)
        case (false, true): break
        }
    }
}
