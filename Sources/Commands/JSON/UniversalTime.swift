package import Wire

/// A time as RFC 3339 writes it, in UTC with milliseconds: `2026-01-02T03:04:05.678Z`.
package struct UniversalTime {
    package let text: String

    /// Times after the year 9999, which RFC 3339 can not write, show as its last millisecond.
    package init(_ time: Timestamp) {
        let milliseconds = Int64(min(time.milliseconds, UniversalTime.last))
        let (days, rest) = milliseconds.quotientAndRemainder(dividingBy: 86_400_000)
        let (year, month, day) = UniversalTime.date(days: Int(days))
        let seconds = Int(rest) / 1_000
        let date = "\(Digits.four(year))-\(Digits.two(month))-\(Digits.two(day))"
        let clock = "\(Digits.two(seconds / 3_600)):\(Digits.two(seconds / 60 % 60)):\(Digits.two(seconds % 60))"
        text = "\(date)T\(clock).\(Digits.three(Int(rest) % 1_000))Z"
    }

    /// `2026-01-02`
    package var date: String { String(text.prefix(10)) }

    /// 9999-12-31T23:59:59.999Z
    private static let last: UInt64 = 253_402_300_799_999

    /// The proleptic Gregorian date of a day counted from 1970-01-01. Years begin in March, so that the leap day is their last.
    private static func date(days: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = days + 719_468
        let (era, dayOfEra) = shifted.quotientAndRemainder(dividingBy: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
    }
}

/// Decimal numbers with leading zeros.
package enum Digits {
    package static func two(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
    package static func three(_ value: Int) -> String { value < 100 ? "0\(two(value))" : "\(value)" }
    package static func four(_ value: Int) -> String { value < 1_000 ? "0\(three(value))" : "\(value)" }
}

/// A duration in milliseconds with one to three decimals, without an exponent: `0.4`, `12.345`.
package struct Milliseconds {
    package let text: String

    package init(_ duration: Duration) {
        let microseconds = max(0, duration.nanoseconds / 1_000)
        var fraction = Digits.three(Int(microseconds % 1_000))
        while fraction.count > 1, fraction.hasSuffix("0") { fraction.removeLast() }
        text = "\(microseconds / 1_000).\(fraction)"
    }
}
