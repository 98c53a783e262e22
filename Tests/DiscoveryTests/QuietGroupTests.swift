import Testing
import Wire

@testable import Discovery

@Suite struct QuietGroupTests {
    @Test(arguments: [1, 2])
    func `of 33 that start within some seconds one asks for all`(seed: UInt64) {
        var segment = QuietSegment(seed: seed)
        for _ in 0..<33 {
            segment.join()
            segment.run(for: .milliseconds(200))
        }
        segment.run(for: .seconds(10))
        for station in segment.stations { #expect(station.listed.count == 33) }
        segment.forgetQuestions()
        segment.run(for: .seconds(20))
        // Each for itself: 33 to 66.
        #expect(segment.questions.count <= 5)
        #expect(segment.bytes <= 7_500)
        segment.forgetQuestions()
        // The records are said again once in this time.
        segment.run(for: .seconds(700))
        #expect(segment.questions.count <= 20)
        for station in segment.stations { #expect(station.listed.count == 33) }
    }

    @Test func `of 33 that start at once each asks once, and then few for all`() {
        var segment = QuietSegment(seed: 4, latency: 5...30)
        for _ in 0..<33 { segment.join() }
        segment.run(for: .milliseconds(500))
        #expect(segment.questions.count == 33)
        segment.forgetQuestions()
        segment.run(for: .seconds(60))
        // Six times, one or a few each.
        #expect(segment.questions.count <= 33)
        for station in segment.stations { #expect(station.listed.count == 33) }
    }

    @Test func `a newcomer knows the whole group in a fifth of a second and is known by all`() {
        var segment = QuietSegment(seed: 5)
        for _ in 0..<32 { segment.join() }
        segment.run(for: .seconds(100))
        segment.join()
        segment.run(for: .milliseconds(20))
        for station in segment.stations { #expect(station.listed.contains(QuietSegment.instance(32))) }
        segment.run(for: .milliseconds(250))
        #expect(segment.stations[32].listed.count == 33)
    }

    /// Two groups of three, with a silent cut between them for so many minutes; what they know 20 s after its end.
    private func cut(minutes: Int64, asking: Bool, besideDaemon: Bool = false) -> QuietSegment {
        var segment = QuietSegment(seed: 9)
        for _ in 0..<6 { segment.join() }
        segment.run(for: .seconds(3_000))
        segment.cut = 3
        segment.run(for: .seconds(45))
        if asking {
            for number in segment.stations.indices {
                segment.pursue(number, besideDaemon: besideDaemon)
                segment.run(for: .milliseconds(300))
            }
        }
        segment.forgetQuestions()
        segment.run(for: .seconds(minutes * 60))
        segment.cut = nil
        segment.run(for: .seconds(21))
        return segment
    }

    @Test(arguments: [25, 70], [false, true])
    func `nodes that miss peers hear them within seconds of the end of a silent cut`(
        minutes: Int64, besideDaemon: Bool
    ) {
        let segment = cut(minutes: minutes, asking: true, besideDaemon: besideDaemon)
        for station in segment.stations { #expect(station.listed.count == 6) }
        // One of each group asks for all of it, once in 16 to 20 s.
        #expect(segment.questions.count <= Int(minutes) * 2 * 4 * 3 / 2)
    }

    @Test(arguments: [25, 70]) func `nodes that only browse do not hear them for minutes`(minutes: Int64) {
        let segment = cut(minutes: minutes, asking: false)
        for station in segment.stations { #expect(station.listed.count == 3) }
    }

    @Test func `peers are missed for two hours, and then asked for less and less often`() {
        var segment = QuietSegment(seed: 10)
        for _ in 0..<2 { segment.join() }
        segment.run(for: .seconds(60))
        segment.pursue(0, besideDaemon: false)
        segment.run(for: QuietBrowser.pursuingTime + .seconds(3_600))
        segment.forgetQuestions()
        segment.run(for: .seconds(3_600))
        #expect(segment.questions.count < 20)
    }

    @Test func `a goodbye takes effect in a second, silence in ten minutes`() {
        var segment = QuietSegment(seed: 6)
        for _ in 0..<10 { segment.join() }
        segment.run(for: .seconds(5))
        segment.leave(3)
        segment.run(for: .milliseconds(1_020))
        for station in segment.stations { #expect(!station.listed.contains(QuietSegment.instance(3))) }
        segment.silence(4)
        segment.run(for: .seconds(601))
        for station in segment.stations { #expect(station.listed.count == 8) }
    }

    @Test func `a group that does not fit into one packet lists all in several`() {
        var segment = QuietSegment(seed: 8)
        for _ in 0..<40 { segment.join() }
        segment.run(for: .seconds(10))
        segment.forgetQuestions()
        segment.run(for: .seconds(60))
        for station in segment.stations { #expect(station.listed.count == 40) }
        #expect(segment.questions.allSatisfy { $0.packets == 2 })
        #expect(segment.questions.count <= 12)
    }
}
