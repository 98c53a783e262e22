internal import CLinux
internal import Glibc
import Wire

/// An epoll set, with the handler of each descriptor in it.
///
/// The kernel returns with each event the number of the descriptor and the generation of the watch: an event of a
/// watch that has ended meanwhile does not reach the next owner of the same number.
@safe
struct Poller: ~Copyable {
    private struct Watch {
        let handler: any DescriptorHandler
        let generation: UInt32
    }

    /// Events taken from the kernel at a time.
    private static let batch: CInt = 256

    private let set: Descriptor
    /// By descriptor number, which the kernel keeps small.
    private var watches: [Watch?] = []
    private var events = unsafe [epoll_event](repeating: epoll_event(), count: Int(Poller.batch))
    private var lastGeneration: UInt32 = 0

    init() throws(SystemError) {
        set = try Descriptor("epoll_create1", epoll_create1(CInt(EPOLL_CLOEXEC)))
    }

    /// Lets `descriptor` end a wait once for each time that it becomes readable; it has no handler and is not read.
    func addWakeUp(_ descriptor: CInt) throws(SystemError) {
        let mask = EPOLLIN.rawValue | EPOLLET.rawValue
        try SystemError.check("epoll_ctl", control(EPOLL_CTL_ADD, descriptor, mask, generation: 0))
    }

    /// - Throws: the refusal of the kernel, as for want of memory; then nothing is watched.
    mutating func add(
        _ descriptor: CInt, _ interest: Interest, _ handler: any DescriptorHandler
    ) throws(SystemError) {
        lastGeneration &+= 1
        let watch = Watch(handler: handler, generation: lastGeneration)
        let missing = Int(descriptor) + 1 - watches.count
        if missing > 0 { watches.append(contentsOf: repeatElement(nil, count: missing)) }
        watches[Int(descriptor)] = watch
        var result = control(EPOLL_CTL_ADD, descriptor, interest.mask, generation: watch.generation)
        if result < 0, errno == EEXIST {
            result = control(EPOLL_CTL_MOD, descriptor, interest.mask, generation: watch.generation)
        }
        guard result == 0 else {
            let error = SystemError.last("epoll_ctl")
            watches[Int(descriptor)] = nil
            throw error
        }
    }

    /// Does nothing for a descriptor that is not watched.
    func change(_ descriptor: CInt, to interest: Interest) {
        guard let watch = watch(of: descriptor) else { return }
        _ = control(EPOLL_CTL_MOD, descriptor, interest.mask, generation: watch.generation)
    }

    /// Returns the handler, so that the caller releases it outside: its end may call in again.
    mutating func remove(_ descriptor: CInt) -> (any DescriptorHandler)? {
        guard let watch = watch(of: descriptor) else { return nil }
        watches[Int(descriptor)] = nil
        _ = control(EPOLL_CTL_DEL, descriptor, 0, generation: 0)
        return watch.handler
    }

    mutating func removeAll() -> [any DescriptorHandler] {
        watches.indices.compactMap { remove(CInt($0)) }
    }

    /// Waits for events and returns how many came.
    ///
    /// - Parameter timeout: how long at most; nil for ever.
    mutating func wait(_ timeout: Duration?) -> Int {
        let count = unsafe epoll_wait(set.number, &events, Poller.batch, Poller.milliseconds(timeout))
        guard count < 0 else { return Int(count) }
        guard errno == EINTR else { fatalError("the epoll set is gone: \(SystemError.last("epoll_wait"))") }
        return 0
    }

    /// The event at `index` of the last wait, with its handler; nil when its watch has ended.
    func event(at index: Int) -> (handler: any DescriptorHandler, descriptor: CInt, readiness: Readiness)? {
        let event = unsafe events[index]
        let tag = unsafe event.data.u64
        let descriptor = CInt(truncatingIfNeeded: tag)
        guard let watch = watch(of: descriptor), UInt64(watch.generation) == tag >> 32 else { return nil }
        return unsafe (watch.handler, descriptor, Readiness(mask: event.events))
    }

    private func watch(of descriptor: CInt) -> Watch? {
        watches.indices.contains(Int(descriptor)) ? watches[Int(descriptor)] : nil
    }

    private func control(_ operation: CInt, _ descriptor: CInt, _ mask: UInt32, generation: UInt32) -> CInt {
        let tag = UInt64(generation) << 32 | UInt64(UInt32(bitPattern: descriptor))
        var event = unsafe epoll_event(events: mask, data: epoll_data_t(u64: tag))
        return unsafe epoll_ctl(set.number, operation, descriptor, &event)
    }

    /// Rounded up, so that a timer does not make the loop spin through its last millisecond.
    private static func milliseconds(_ timeout: Duration?) -> CInt {
        guard let timeout else { return -1 }
        let rounded = max(0, timeout.nanoseconds).advanced(by: 999_999) / 1_000_000
        return CInt(clamping: rounded)
    }
}

extension Interest {
    fileprivate var mask: UInt32 {
        (rawValue & 1 != 0 ? EPOLLIN.rawValue : 0) | (rawValue & 2 != 0 ? EPOLLOUT.rawValue : 0)
    }
}

extension Readiness {
    fileprivate init(mask: UInt32) {
        self.init(
            rawValue: (mask & EPOLLIN.rawValue != 0 ? 1 : 0) | (mask & EPOLLOUT.rawValue != 0 ? 2 : 0)
                | (mask & EPOLLHUP.rawValue != 0 ? 4 : 0) | (mask & EPOLLERR.rawValue != 0 ? 8 : 0))
    }
}
