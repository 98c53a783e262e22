import Commands
import Testing
import Wire

@testable import Rendering

@Suite struct ProgramTimeTests {
    @Test(
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"), (1, "1970-01-01T00:00:00.001Z"),
            (951_782_399_999, "2000-02-28T23:59:59.999Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"), (951_868_800_000, "2000-03-01T00:00:00.000Z"),
            (1_709_164_800_000, "2024-02-29T00:00:00.000Z"), (1_735_689_599_042, "2024-12-31T23:59:59.042Z"),
            (4_107_542_400_000, "2100-03-01T00:00:00.000Z"), (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
            (253_402_300_800_000, "9999-12-31T23:59:59.999Z"), (.max, "9999-12-31T23:59:59.999Z"),
        ] as [(UInt64, String)])
    func `a time is written as RFC 3339 has it`(milliseconds: UInt64, text: String) {
        #expect(UniversalTime(Timestamp(milliseconds: milliseconds)).text == text)
    }

    @Test func `every day of four centuries follows the one before`() {
        var month = 1
        var day = 1
        for index in 0..<146_097 {
            let text = UniversalTime(Timestamp(milliseconds: UInt64(index) * 86_400_000)).text
            let fields = text.prefix(10).split(separator: "-").compactMap { Int($0) }
            let follows = index == 0 || (fields[1] == month && fields[2] == day + 1) || fields[2] == 1
            if !follows { Issue.record("\(text) follows \(month)-\(day)") }
            (month, day) = (fields[1], fields[2])
        }
        #expect((month, day) == (12, 31))
    }

    @Test(arguments: [
        (400, "0.4"), (0, "0.0"), (1_000, "1.0"), (12_345, "12.345"), (12_340, "12.34"), (5, "0.005"), (-1, "0.0"),
    ])
    func `a round trip is written in milliseconds`(microseconds: Int, text: String) {
        #expect(Milliseconds(.microseconds(microseconds)).text == text)
    }

    @Test func `the local time of day has two digits thrice, the date four, two and two, whatever the time`() {
        for milliseconds: UInt64 in [0, 1_709_164_800_000, .max] {
            let text = LocalTime.text(Timestamp(milliseconds: milliseconds))
            #expect(text.count == 8)
            #expect(text.split(separator: ":").allSatisfy { $0.count == 2 && Int($0) != nil })
            let date = LocalTime.date(Timestamp(milliseconds: milliseconds)).split(separator: "-")
            #expect(date.map(\.count) == [4, 2, 2] && date.allSatisfy { Int($0) != nil })
        }
    }
}
