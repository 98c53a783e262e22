import ChatNode
internal import CLinux
internal import Glibc
import Reactor

/// One connection of a TCP transport: its socket and how far it is.
final class TCPConnection: DescriptorHandler {
    enum Phase {
        case connecting
        case open
        /// Our side is shut; later bytes are discarded until the other side closes.
        case finishing
        /// Nothing but the word to the handler is left to do.
        case ending
        case closed
    }

    /// The result of a read.
    enum Received {
        case bytes(Int)
        case nothing
        case end
        case failure(SystemError)
    }

    let id: ConnectionID
    let descriptor: CInt
    var phase: Phase
    /// A write took less than it was given.
    var hasUnsent = false
    private var socket: Descriptor?
    /// Strong: the transport lives while the loop watches a connection of it.
    private let transport: TCPTransport

    init(_ id: ConnectionID, _ socket: consuming Descriptor?, phase: Phase, of transport: TCPTransport) {
        self.id = id
        descriptor = socket?.number ?? -1
        self.socket = socket
        self.phase = phase
        self.transport = transport
    }

    func ready(_ descriptor: CInt, _ events: Readiness) {
        transport.ready(self, events)
    }

    var interest: Interest {
        switch phase {
        case .connecting: .writable
        case .open: hasUnsent ? .both : .readable
        case .finishing: .readable
        case .ending, .closed: []
        }
    }

    /// Reads once into `buffer`: the rest is reported again next turn, so that a flood on one connection does not hold up
    /// the others.
    func receive(into buffer: inout [UInt8]) -> Received {
        let count = unsafe buffer.withUnsafeMutableBytes { unsafe recv(descriptor, $0.baseAddress, $0.count, 0) }
        if count > 0 { return .bytes(count) }
        if count == 0 { return .end }
        return errno == EAGAIN || errno == EINTR ? .nothing : .failure(.last("recv"))
    }

    /// Writes what the kernel takes now.
    func send(_ bytes: Span<UInt8>) throws(SystemError) -> Int {
        var sent = 0
        while sent < bytes.count {
            let count = unsafe bytes.withUnsafeBufferPointer { buffer in
                unsafe Glibc.send(
                    descriptor, buffer.baseAddress?.advanced(by: sent), buffer.count - sent, CInt(MSG_NOSIGNAL))
            }
            if count >= 0 {
                sent += count
            } else if errno == EAGAIN {
                return sent
            } else if errno != EINTR {
                throw .last("send")
            }
        }
        return sent
    }

    func shutWriting() {
        shutdown(descriptor, CInt(SHUT_WR))
    }

    func close() {
        phase = .closed
        socket = nil
    }
}
