import ChatNode
import Reactor

/// The sockets of an examination at one place. Confined to its event loop.
final class MulticastProbe: DescriptorHandler {
    typealias Hear = ((bytes: [UInt8], sender: [UInt8], socket: MulticastSocket.Use)) -> Void
    typealias Fail = ((socket: MulticastSocket.Use, error: SystemError)) -> Void

    /// In one turn; the rest waits for the next.
    private static let batch = 64

    private let loop: EventLoop
    private let hear: Hear
    private let fail: Fail
    private var sockets: [MulticastSocket.Use: MulticastSocket] = [:]

    /// - Parameters:
    ///   - source: an address that the machine has there.
    ///   - other: a port that nothing else uses.
    init(
        at interface: UInt32, from source: [UInt8], other: UInt16, loop: EventLoop, hear: @escaping Hear,
        fail: @escaping Fail
    ) {
        self.loop = loop
        self.hear = hear
        self.fail = fail
        for socket in MulticastSocket.Use.allCases {
            open(socket, at: interface, from: source, other: other)
        }
    }

    func close() {
        for socket in sockets.values { loop.unwatch(socket.number) }
        sockets = [:]
    }

    func send(_ bytes: [UInt8], by socket: MulticastSocket.Use) {
        do throws(SystemError) {
            try sockets[socket]?.send(bytes)
        } catch {
            fail((socket, error))
        }
    }

    func ready(_ descriptor: CInt, _ events: Readiness) {
        guard let (place, socket) = sockets.first(where: { $0.value.number == descriptor }) else { return }
        for _ in 0..<Self.batch {
            guard let (bytes, sender) = socket.receive() else { return }
            hear((bytes, sender.address, place))
        }
    }

    private func open(
        _ socket: MulticastSocket.Use, at interface: UInt32, from source: [UInt8], other: UInt16
    ) {
        do throws(SystemError) {
            let opened = try MulticastSocket(
                socket, at: interface, from: source, other: other, reach: socket == .mdns ? 255 : 0)
            try loop.watch(opened.number, .readable, self)
            sockets[socket] = opened
        } catch {
            fail((socket, error))
        }
    }
}
