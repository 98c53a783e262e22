import ChatNode
import Testing
import Wire

@Suite struct ModeSwitchTests {
    private var mode = ModeSwitch()
    private let start = Instant(nanoseconds: 0)

    private mutating func update(_ known: Int, after seconds: Double) -> Bool {
        mode.update(known: known, now: start + .milliseconds(Int64(seconds * 1_000)))
    }

    @Test mutating func `up to 32 known nodes the room is a mesh for ever`() {
        for second in 0..<10_000 { #expect(!update(32, after: Double(second))) }
        #expect(!mode.isOverlay && !mode.holdsNewcomers && mode.nextDeadline == nil)
    }

    @Test mutating func `the overlay begins after 33 were known for 2 s, and at once at 48`() {
        #expect(!update(33, after: 0) && mode.holdsNewcomers)
        #expect(mode.nextDeadline == start + .seconds(2))
        #expect(!update(47, after: 1.9))
        #expect(update(47, after: 2) && mode.isOverlay && !mode.holdsNewcomers)

        mode = ModeSwitch()
        #expect(update(48, after: 0) && mode.isOverlay)
    }

    @Test mutating func `48 known nodes do not wait for the 2 s of 33`() {
        #expect(!update(33, after: 0) && !update(40, after: 1))
        #expect(update(48, after: 1.1))
    }

    @Test mutating func `a short peak changes nothing`() {
        #expect(!update(40, after: 0) && !update(32, after: 1.9))
        #expect(mode.nextDeadline == nil)
        #expect(!update(40, after: 3) && !update(40, after: 4.9))
        #expect(update(40, after: 5))
    }

    @Test mutating func `the overlay ends after 24 or fewer were known for 60 s, and no bound between flaps`() {
        #expect(update(48, after: 0))
        for second in 1..<1_000 { #expect(!update(second % 2 == 0 ? 25 : 47, after: Double(second))) }
        #expect(!update(24, after: 1_000) && mode.nextDeadline == start + .seconds(1_060))
        #expect(!update(25, after: 1_059) && mode.nextDeadline == nil)
        #expect(!update(20, after: 1_060) && !update(3, after: 1_119.9))
        #expect(update(3, after: 1_120) && !mode.isOverlay)
        #expect(!update(32, after: 1_121))
    }
}
