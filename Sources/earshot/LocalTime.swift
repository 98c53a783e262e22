import Glibc
import Wire

/// The time of day where the person is: `HH:MM:SS`, by the time zone that the environment names.
enum LocalTime {
    @Sendable static func text(_ time: Timestamp) -> String {
        // Times that a far-off clock made up must not overflow the calendar.
        var seconds = time_t(min(time.milliseconds / 1_000, 253_402_300_799))
        var parts = unsafe tm()
        guard unsafe (localtime_r(&seconds, &parts) != nil) else { return "--:--:--" }
        let clock = unsafe [parts.tm_hour, parts.tm_min, parts.tm_sec]
        return clock.map { Digits.two(Int($0)) }.joined(separator: ":")
    }

    /// Reads the time zone now rather than at the first message.
    static func prepare() { tzset() }
}
