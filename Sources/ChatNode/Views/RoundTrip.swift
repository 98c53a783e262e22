import Wire

/// A measured round trip as people see it: whole milliseconds, since a finer time tells what the peer's machine does.
package struct RoundTrip: Hashable, Sendable {
    /// Rounded; 1 for all that is less.
    package let milliseconds: Int64

    package init(_ duration: Duration) {
        milliseconds = max(1, (duration.nanoseconds + 500_000) / 1_000_000)
    }
}
