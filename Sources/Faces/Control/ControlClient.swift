import CLinux
import Glibc
import Reactor

/// One client of the control socket: its connection, and how far the conversation is.
package final class ControlClient {
    package let number: Int
    var dialogue: ControlSession
    /// The events that the loop watches its connection for.
    var interest = Interest.readable
    private let socket: Descriptor

    init(_ number: Int, _ socket: consuming Descriptor) {
        self.number = number
        self.socket = socket
        dialogue = ControlSession()
    }

    package var descriptor: CInt { socket.number }

    /// True if the client runs as the user of the node.
    ///
    /// The kernel recorded the user when the connection was made; a process can not change that.
    static func isOwnUser(_ socket: CInt) -> Bool {
        // Process, user, group.
        var credentials: [UInt32] = [0, .max, .max]
        var length = socklen_t(12)
        let result = unsafe getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &credentials, &length)
        return result == 0 && length == 12 && credentials[1] == geteuid()
    }

    /// Reads once into the conversation.
    ///
    /// - Returns: false if the connection is of no use any more.
    func receive() -> Bool {
        var buffer = [UInt8](repeating: 0, count: 16_384)
        let count = unsafe buffer.withUnsafeMutableBytes {
            unsafe recv(descriptor, $0.baseAddress, $0.count, 0)
        }
        if count > 0 { dialogue.feed(buffer[..<count]) }
        if count == 0 { dialogue.endInput() }
        return count >= 0 || errno == EAGAIN || errno == EINTR
    }

    /// Writes what the system takes now.
    ///
    /// - Returns: false if the connection is of no use any more.
    package func send() -> Bool {
        var isUsable = true
        dialogue.drain { bytes in
            let count = unsafe bytes.withUnsafeBufferPointer {
                unsafe Glibc.send(descriptor, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL))
            }
            if count < 0 { isUsable = errno == EAGAIN || errno == EINTR }
            return max(0, count)
        }
        return isUsable
    }
}
