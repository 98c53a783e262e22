import Commands
import Glibc
package import Wire

/// The time of day and the date where the person is, by the time zone that the environment names.
package enum LocalTime {
    /// `HH:MM:SS`
    @Sendable package static func text(_ time: Timestamp) -> String {
        guard let parts = unsafe parts(of: time) else { return "--:--:--" }
        let clock = unsafe [parts.tm_hour, parts.tm_min, parts.tm_sec]
        return clock.map { Digits.two(Int($0)) }.joined(separator: ":")
    }

    /// `YYYY-MM-DD`
    @Sendable package static func date(_ time: Timestamp) -> String {
        guard let parts = unsafe parts(of: time) else { return "----------" }
        let (year, month, day) = unsafe (Int(parts.tm_year) + 1_900, Int(parts.tm_mon) + 1, Int(parts.tm_mday))
        return "\(Digits.four(year))-\(Digits.two(month))-\(Digits.two(day))"
    }

    /// Reads the time zone now rather than at the first message.
    package static func prepare() { tzset() }

    private static func parts(of time: Timestamp) -> tm? {
        // Times that a far-off clock made up must not overflow the calendar.
        var seconds = time_t(min(time.milliseconds / 1_000, 253_402_300_799))
        var parts = unsafe tm()
        return unsafe localtime_r(&seconds, &parts) == nil ? nil : parts
    }
}
