import CLinux
import Glibc

/// The system's figures about this process.
package enum ProcessFacts {
    /// Memory that is in use, in bytes; nil where `/proc` does not say.
    package static func residentBytes() -> Int? { ResidentMemory()?.all }

    /// The monotonic clock.
    package static var monotonicMicroseconds: Int { microseconds(CLOCK_MONOTONIC) }

    /// Computing time of this process so far.
    package static var computingMicroseconds: Int { microseconds(CLOCK_PROCESS_CPUTIME_ID) }

    private static func microseconds(_ clock: clockid_t) -> Int {
        var time = timespec()
        unsafe clock_gettime(clock, &time)
        return time.tv_sec * 1_000_000 + time.tv_nsec / 1_000
    }
}
