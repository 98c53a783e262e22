import Testing
import Wire

@testable import Chat

@Suite struct TypingTrackerTests {
    private typealias Signal = TypingTracker.Signal

    private let room = Conversation.publicRoom
    private let direct = Conversation.direct(RosterTests.peer(7))

    private func at(_ milliseconds: Int) -> Instant { Instant(nanoseconds: 0) + .milliseconds(milliseconds) }

    private func signal(_ isOn: Bool, in conversation: Conversation = .publicRoom) -> Signal {
        Signal(conversation: conversation, isOn: isOn)
    }

    /// The signals and their times for keys at these times.
    private func told(keys: [Int], until end: Int = 30_000) -> [String] {
        var notice = TypingTracker()
        var told: [String] = []
        var keys = keys[...]
        for time in stride(from: 0, through: end, by: 100) {
            var signals: [Signal] = []
            if let deadline = notice.nextDeadline, deadline <= at(time) {
                signals += notice.tick(at(time)).map { [$0] } ?? []
            }
            if keys.first == time { signals += notice.key(in: room, now: at(keys.removeFirst())) }
            told += signals.map { "\(time) \($0.isOn ? "on" : "off")" }
        }
        #expect(notice.nextDeadline == nil)
        return told
    }

    @Test func `one key is reported at once, and ended after 5 s`() {
        #expect(told(keys: [0]) == ["0 on", "5000 off"])
    }

    @Test func `keys without a pause are reported every 3 s`() {
        #expect(
            told(keys: Array(stride(from: 0, through: 9_900, by: 100)))
                == ["0 on", "3000 on", "6000 on", "9000 on", "12000 on", "14900 off"])
    }

    @Test func `keys with pauses of less than 5 s never end it at a receiver`() {
        #expect(told(keys: [0, 2_900, 7_000]) == ["0 on", "3000 on", "7000 on", "12000 off"])
        #expect(told(keys: [0, 4_900, 9_800]) == ["0 on", "4900 on", "9800 on", "14800 off"])
        #expect(told(keys: [0, 5_000]) == ["0 on", "5000 off", "5000 on", "10000 off"])
    }

    @Test func `a discarded text is reported once`() {
        var notice = TypingTracker()
        let nothing = notice.stop()
        let on = notice.key(in: room, now: at(0))
        let off = notice.stop()
        let again = notice.stop()
        #expect(nothing == nil)
        #expect(on == [signal(true)])
        #expect(off == signal(false))
        #expect(again == nil)
        #expect(notice.nextDeadline == nil)
    }

    @Test func `a message ends it without a signal in its conversation, and with one elsewhere`() {
        var notice = TypingTracker()
        _ = notice.key(in: room, now: at(0))
        let here = notice.said(in: room)
        _ = notice.key(in: room, now: at(1))
        let elsewhere = notice.said(in: direct)
        let nothing = notice.said(in: direct)
        #expect(here == nil)
        #expect(elsewhere == signal(false))
        #expect(nothing == nil)
        #expect(notice.nextDeadline == nil)
    }

    @Test func `another conversation ends it in the previous one`() {
        var notice = TypingTracker()
        _ = notice.key(in: room, now: at(0))
        let stayed = notice.moved(to: room)
        let moved = notice.moved(to: direct)
        #expect(stayed == nil)
        #expect(moved == signal(false))
        _ = notice.key(in: room, now: at(1))
        let both = notice.key(in: direct, now: at(2))
        #expect(both == [signal(false), signal(true, in: direct)])
    }
}
