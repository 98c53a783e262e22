/// One TCP connection of a transport, never used again for another.
package struct ConnectionID: Hashable, Sendable, Comparable {
    package let number: UInt64

    package init(number: UInt64) {
        self.number = number
    }

    package static func < (left: ConnectionID, right: ConnectionID) -> Bool { left.number < right.number }
}

/// Why a transport could not do what it was asked, or a connection ended.
package enum TransportError: Error, Hashable, Sendable {
    /// The system call that failed and its errno.
    case system(call: String, errno: Int32)
    case refused
    case unreachable
    case timedOut
    case reset
}

/// A port: how the node reaches the network. Confined to the node's scheduler, like all its callbacks.
package protocol Transport: AnyObject {
    /// Listens on IPv6 and IPv4, and reports to `handler` from now on.
    ///
    /// - Parameter port: 0 for one of the system's choice.
    /// - Returns: the port, the same for both families.
    func listen(port: UInt16, handler: any TransportHandler) throws(TransportError) -> UInt16

    /// Begins to connect. The outcome is `transportConnected` or `transportClosed`, never before this call has returned.
    func dial(_ endpoint: Endpoint) -> ConnectionID

    /// Writes as much as the network takes now and returns how much that was. When it is less than `bytes.count`,
    /// `transportBecameWritable` follows. 0 for a connection that has ended.
    func write(_ bytes: Span<UInt8>, to connection: ConnectionID) -> Int

    /// Ends politely: what was written still arrives; then the connection closes within 2 s. No more callbacks for it but `transportClosed`.
    func finish(_ connection: ConnectionID)

    /// Ends at once. No more callbacks for it.
    func close(_ connection: ConnectionID)

    /// Whether the other end of a connection is on this machine, by whichever of its addresses.
    func isOnThisMachine(_ connection: ConnectionID) -> Bool

    /// The address of this machine that a connection uses, with the connection's port; nil if it is not known.
    func localEndpoint(of connection: ConnectionID) -> Endpoint?

    /// The network that a connection goes over; nil if it is not known.
    func network(of connection: ConnectionID) -> LinkNetwork?

    /// The bytes that `write` took and the other side has not acknowledged; 0 where this is not known.
    func unacknowledged(by connection: ConnectionID) -> Int

    /// Stops listening. Connections go on.
    func stopListening()

    /// Counters of what was turned away before the node heard of it.
    var refusals: [Counter] { get }
}

extension Transport {
    package func unacknowledged(by connection: ConnectionID) -> Int { 0 }

    package var refusals: [Counter] { [] }
}

/// Takes the events of a transport, on the node's scheduler.
package protocol TransportHandler: AnyObject {
    /// A peer connected to us.
    func transportAccepted(_ connection: ConnectionID, from endpoint: Endpoint)

    /// A dialled connection is up.
    func transportConnected(_ connection: ConnectionID)

    /// Bytes came: the first `count` of `buffer`, which is the transport's and valid during the call.
    func transportReceived(_ buffer: [UInt8], count: Int, on connection: ConnectionID)

    /// A connection that took less than it was given takes bytes again.
    func transportBecameWritable(_ connection: ConnectionID)

    /// The connection ended, by the other side, by an error, or after `finish`; a half-close counts as an end.
    func transportClosed(_ connection: ConnectionID, error: TransportError?)
}
