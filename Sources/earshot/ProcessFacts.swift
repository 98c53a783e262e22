import CLinux
import Glibc

/// What the system knows about this process.
enum ProcessFacts {
    /// Memory that is in use, in bytes; nil where `/proc` does not say.
    static func residentBytes() -> Int? {
        let descriptor = unsafe open("/proc/self/statm", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { _ = close(descriptor) }
        var buffer = [UInt8](repeating: 0, count: 256)
        let count = Descriptors.read(into: &buffer, from: descriptor)
        let fields = buffer[..<count].split(separator: UInt8(ascii: " "))
        guard fields.count > 1, let pages = Int(decimal: String(decoding: fields[1], as: UTF8.self)) else { return nil }
        return pages * Int(getpagesize())
    }

    /// The monotonic clock.
    static var monotonicMicroseconds: Int { microseconds(CLOCK_MONOTONIC) }

    /// Computing time of this process so far.
    static var computingMicroseconds: Int { microseconds(CLOCK_PROCESS_CPUTIME_ID) }

    private static func microseconds(_ clock: clockid_t) -> Int {
        var time = timespec()
        unsafe clock_gettime(clock, &time)
        return time.tv_sec * 1_000_000 + time.tv_nsec / 1_000
    }
}
