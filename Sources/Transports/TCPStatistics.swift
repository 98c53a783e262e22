/// What a TCP transport has done and refused so far.
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
