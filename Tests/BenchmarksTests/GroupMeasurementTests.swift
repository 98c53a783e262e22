import Chat
import ChatNode
import Discovery
import Testing
import Wire

@testable import Benchmarks

@Suite struct GroupMeasurementTests {
    private static let start = Instant(nanoseconds: 1_000_000)

    private func stamp(_ sequence: Int, from sender: Int = 2, epoch: Int = 0, at time: UInt64 = 999_000) -> StampedText
    {
        StampedText(sender: sender, epoch: epoch, sequence: sequence, sentAt: time)
    }

    @Test func `a stamped text has 240 ASCII characters, and says what it was made of`() {
        let stamp = StampedText(sender: 31, epoch: 7, sequence: 19_999, sentAt: 0x0123_4567_89ab_cdef)
        #expect(stamp.text.hasPrefix("PB1 001f 0007 00004e1f 0123456789abcdef "))
        #expect(stamp.text.utf8.count == 240)
        #expect(stamp.text.hasSuffix("."))
        #expect(StampedText(stamp.text) == stamp)
    }

    @Test func `a user's message is no stamped text`() {
        let text = stamp(1).text
        #expect(StampedText("") == nil)
        #expect(StampedText("PB1 hello") == nil)
        #expect(StampedText(String(text.dropLast())) == nil)
        #expect(StampedText(text.replacing("PB1", with: "PB2")) == nil)
        #expect(StampedText(text.replacing("0002 0000", with: "000g 0000")) == nil)
        #expect(StampedText(text.dropLast() + "!") == nil)
    }

    @Test func `each text counts once, by its sender and its number`() {
        var tally = Tally(me: 1)
        for number in [0, 1, 0, 200, 200] { _ = tally.count(stamp(number).text, at: GroupMeasurementTests.start) }
        _ = tally.count(stamp(0, from: 3).text, at: GroupMeasurementTests.start + .milliseconds(1))
        _ = tally.count("hello", at: GroupMeasurementTests.start)
        #expect(tally.received == 4)
        #expect(tally.repeated == 2)
        #expect(tally.senders == 2)
        #expect(tally.foreign == 1)
        #expect(tally.lastAt == GroupMeasurementTests.start + .milliseconds(1))
        #expect(tally.latencies == [1_000, 1_000, 1_000, 1_001_000])
        _ = tally.count(stamp(7).text, isHistory: true, at: GroupMeasurementTests.start)
        #expect((tally.received, tally.history) == (5, 1))
    }

    @Test func `our own texts and those of other measurements do not count`() {
        var tally = Tally(me: 2)
        #expect(tally.count(stamp(0).text, at: GroupMeasurementTests.start) == Tally.Note())
        tally.reset(epoch: 5)
        #expect(tally.count(stamp(0, from: 1).text, at: GroupMeasurementTests.start) == Tally.Note())
        #expect(tally.received == 0)
        _ = tally.count(stamp(0, from: 1, epoch: 5).text, at: GroupMeasurementTests.start)
        #expect(tally.received == 1)
    }

    @Test func `the first text of a life is reported once, and the last of those waited for`() {
        var tally = Tally(me: 1)
        tally.expect(2)
        let notes = (0..<3).map { tally.count(stamp($0).text, at: GroupMeasurementTests.start) }
        #expect(notes == [Tally.Note(isFirst: true), Tally.Note(isLast: true), Tally.Note()])
        tally.reset(epoch: 0)
        #expect(tally.count(stamp(0).text, at: GroupMeasurementTests.start) == Tally.Note())
    }

    @Test func `a digest is that of a set, whatever its order`() {
        #expect(RingDigest.text(of: ["a", "b"]) == RingDigest.text(of: ["b", "a"]))
        #expect(RingDigest.text(of: []) == "cbf29ce484222325")
        #expect(RingDigest.text(of: ["a"]) == "af63dc4c8601ec8c")
    }

    @Test func `a number that is too high costs no memory`() {
        var tally = Tally(me: 1)
        _ = tally.count(stamp(0xffff_ffff).text, at: GroupMeasurementTests.start)
        _ = tally.count(stamp(0, from: 0xffff).text, at: GroupMeasurementTests.start)
        #expect(tally.received == 0)
        #expect(tally.foreign == 2)
    }

    @Test(arguments: [
        ("pub 20000 0", DriverCommand.publish(count: 20_000, gap: .zero)),
        ("pub 5 10000", .publish(count: 5, gap: .milliseconds(10))),
        ("stop", .stop), ("reset 3", .reset(epoch: 3)), ("expect 40", .expect(40)), ("stat", .statistics),
        ("ring", .ring),
        ("lat /tmp/x", .latencies(file: "/tmp/x")), ("quit", .quit),
    ])
    func `every command is understood`(line: String, command: DriverCommand) {
        #expect(DriverCommand(line) == command)
    }

    @Test(arguments: ["", "pub", "pub 1", "pub -1 0", "pub x 0", "reset", "expect -3", "lat", "hello", "stop 1"])
    func `a line that is no command is none`(line: String) {
        #expect(DriverCommand(line) == nil)
    }

    @Test func `a node takes the options of the program, and has no limit of its own`() throws {
        let settings = try #require(
            GroupNodeSettings(["7", "--room", "bench", "--discovery", "none", "--peer", "[::1]:4000", "--port", "4001"])
        )
        #expect(settings.number == 7)
        #expect(settings.configuration.messagesPerSecond == 0)
        #expect(settings.configuration.room.name == "bench")
        #expect(settings.configuration.port == 4_001)
        #expect(settings.network.discovery == .none)
        #expect(settings.network.peers.count == 1)
    }

    @Test(arguments: [
        [], ["x"], ["-1"], ["1", "--room"], ["1", "--rate", "2"], ["1", "--port", "70000"], ["1", "--peer", "x"],
    ])
    func `words that mean nothing are refused`(words: [String]) {
        #expect(GroupNodeSettings(words) == nil)
    }
}
