import ChatNode
internal import CLinux
internal import Glibc
import Reactor
import Wire

/// A listening socket of one family and the way in from it.
final class TCPListener: DescriptorHandler {
    /// Accepted in one turn; the rest waits for the next.
    private static let batch = 64
    /// The pause of accepting while the system has no room for another connection.
    private static let pause = Duration.milliseconds(100)

    private let loop: EventLoop
    private let transport: TCPTransport
    private let descriptor: CInt
    private var socket: Descriptor?
    /// Closed for a moment when descriptors run out, so that a waiting connection can be refused instead of waking us for ever.
    private var spare: Descriptor?

    init(_ socket: consuming Descriptor, loop: EventLoop, transport: TCPTransport) {
        descriptor = socket.number
        self.socket = consume socket
        self.loop = loop
        self.transport = transport
        openSpare()
        if (try? loop.watch(descriptor, .readable, self)) == nil { rest() }
    }

    func stop() {
        guard socket != nil else { return }
        loop.unwatch(descriptor)
        // Closed it would go on for as long as a child that is being started holds it too.
        shutdown(descriptor, CInt(SHUT_RDWR))
        socket = nil
        spare = nil
    }

    func ready(_ descriptor: CInt, _ events: Readiness) {
        for _ in 0..<TCPListener.batch {
            guard socket != nil else { return }
            let (result, address) = accept()
            guard result < 0 else {
                transport.accepted(Descriptor(owning: result), from: address.endpoint)
                continue
            }
            let isOutOfDescriptors = result == -EMFILE || result == -ENFILE
            switch isOutOfDescriptors ? turnAway() : -result {
            case EAGAIN: return
            // Turned away, or the one that waited has gone meanwhile, or the network failed it.
            case 0, ECONNABORTED, EINTR, EPROTO, ENETDOWN, ENETUNREACH, EHOSTDOWN, EHOSTUNREACH, ETIMEDOUT: continue
            default: return rest()
            }
        }
    }

    /// The new descriptor, or the errno negated.
    private func accept() -> (result: CInt, address: SocketAddress) {
        let flags = CInt(SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        return unsafe SocketAddress.written { address, length in
            let result = unsafe accept4(descriptor, address, length, flags)
            return result < 0 ? -errno : result
        }
    }

    /// Takes one in on the spare descriptor and closes it at once. Returns 0, or the errno of what failed.
    private func turnAway() -> CInt {
        guard spare != nil else {
            openSpare()
            return spare == nil ? EMFILE : 0
        }
        spare = nil
        defer { openSpare() }
        let (result, _) = accept()
        guard result >= 0 else { return -result }
        close(result)
        transport.statistics.refusedWithoutDescriptor += 1
        return 0
    }

    private func openSpare() {
        let result = unsafe open("/dev/null", O_RDONLY | O_CLOEXEC)
        if result >= 0 { spare = Descriptor(owning: result) }
    }

    private func rest() {
        transport.statistics.acceptPauses += 1
        loop.unwatch(descriptor)
        loop.schedule(at: loop.now + TCPListener.pause) { [self] in
            guard socket != nil else { return }
            if (try? loop.watch(descriptor, .readable, self)) == nil { rest() }
        }
    }
}
