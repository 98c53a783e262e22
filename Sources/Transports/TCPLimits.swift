/// The bounds of a TCP transport.
package struct TCPLimits: Hashable, Sendable {
    /// Connections at one time, dialled and accepted: well above the links that a node keeps, and a bound for a flood.
    package var connections = 1_024
    /// A host on the same network answers within milliseconds, or is gone.
    package var dialTime: Duration
    /// How long a finished connection may wait for the other side to close.
    package var finishTime = Duration.seconds(2)

    package init(dialTime: Duration = .seconds(5)) {
        self.dialTime = dialTime
    }
}

/// The counters of a TCP transport.
package struct TCPStatistics: Hashable, Sendable {
    package var accepted = 0
    package var dialled = 0
    /// Turned away because there were as many connections as are allowed.
    package var refusedAtLimit = 0
    /// Turned away because the process or the system had no file descriptor left.
    package var refusedWithoutDescriptor = 0
    /// Came, or would have gone, over an interface that is not to be used.
    package var refusedByInterface = 0
    /// Times that accepting rested because the system could not.
    package var acceptPauses = 0

    package init() {}
}
