import CLinux
import Glibc
import Reactor

/// Reports changes of links and addresses. Confined to its event loop.
final class NetworkWatch: DescriptorHandler {
    private let loop: EventLoop
    private let descriptor: CInt
    private let changed: @Sendable () -> Void

    /// Never calls `changed` where the kernel offers no netlink socket.
    init(loop: EventLoop, changed: @escaping @Sendable () -> Void) {
        self.loop = loop
        self.changed = changed
        descriptor = NetworkReader.openWatch()
        if descriptor >= 0 { try? loop.watch(descriptor, .readable, self) }
    }

    func close() {
        guard descriptor >= 0 else { return }
        loop.unwatch(descriptor)
        _ = Glibc.close(descriptor)
    }

    func ready(_ descriptor: CInt, _ events: Readiness) {
        // The messages are not parsed, since a fresh dump follows: an overrun socket loses messages, but never the fact
        // that there were some.
        var buffer = [UInt8](repeating: 0, count: 8_192)
        while unsafe recv(descriptor, &buffer, buffer.count, 0) > 0 {}
        changed()
    }
}
