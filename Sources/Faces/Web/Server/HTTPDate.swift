import Commands
import Rendering
import Wire

/// A time as HTTP writes it (RFC 9110 section 5.6.7): `Sun, 06 Nov 1994 08:49:37 GMT`.
struct HTTPDate: Hashable, Sendable {
    /// From the first day of Unix time on, a Thursday.
    private static let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    let text: String

    init(_ time: Timestamp) {
        // `2026-01-02T03:04:05.678Z`
        let parts = UniversalTime(time).text.split { "-T.".contains($0) }
        let month = HTTPDate.months[(Int(parts[1]) ?? 1) - 1]
        let day = HTTPDate.days[Int(time.milliseconds / 86_400_000 % 7)]
        text = "\(day), \(parts[2]) \(month) \(parts[0]) \(parts[3]) GMT"
    }
}
