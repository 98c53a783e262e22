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
