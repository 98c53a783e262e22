internal import CLinux
internal import Glibc
package import Wire

extension Instant {
    /// The monotonic clock now. It goes on while the machine is suspended: keys end on time behind a closed lid.
    package static var monotonic: Instant {
        let time = read(CLOCK_BOOTTIME)
        return Instant(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    }
}

extension Timestamp {
    /// The wall clock now; 0 for a clock that is set before 1970.
    package static var wall: Timestamp {
        let time = read(CLOCK_REALTIME)
        let milliseconds = Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
        return Timestamp(milliseconds: UInt64(max(0, milliseconds)))
    }
}

/// Both clocks exist on every Linux, so that the call can not fail.
private func read(_ clock: clockid_t) -> timespec {
    var time = timespec()
    unsafe clock_gettime(clock, &time)
    return time
}
