import Simulator
import Testing
import Wire

@testable import ChatNode

@Suite struct WakeTimeTests {
    private let early = Instant(nanoseconds: 1), late = Instant(nanoseconds: 2)

    @Test func `an overtaken timer does not fire`() {
        var time = TimerToken()
        let armed = [time.arm(late), time.arm(early), time.arm(late)]
        let rung = [time.isCurrent(early), time.isCurrent(late)]
        #expect(armed == [true, true, false])
        #expect(rung == [true, false])
    }

    @Test func `of two jobs for the same time one rings`() {
        var time = TimerToken()
        let armed = [time.arm(late), time.arm(early)]
        let rung = [time.isCurrent(early), time.arm(late), time.isCurrent(late), time.isCurrent(late)]
        #expect(armed == [true, true])
        #expect(rung == [true, true, true, false])
    }

    @Test func `a node that met many peers that are gone has no more timers than its dials ask for`() throws {
        let simulation = Simulation(seed: 31)
        let alice = simulation.node("alice")
        for number in 1...100 {
            let guest = simulation.node("guest\(number)")
            simulation.advance(by: .seconds(1))
            guest.kill()
        }
        let (events, dials) = (simulation.timeline.eventCount, alice.counter("dials"))
        simulation.advance(by: .seconds(240))
        let tried = alice.counter("dials") - dials
        try #require(tried >= 100)
        #expect(simulation.timeline.eventCount - events <= 6 * tried)
    }
}
