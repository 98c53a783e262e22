import Commands
import ChatNode
import Reactor

/// The program's counters in `/stats`.
extension ReportQueue {
    var counters: [Counter] {
        [Counter(name: "events_not_shown", value: dropped), Counter(name: "reports_waiting", value: count)]
    }
}

extension EventLoop {
    var counters: [Counter] {
        [
            Counter(name: "loop_turns", value: turns),
            Counter(name: "loop_last_turn_us", value: EventLoop.microseconds(latestTurn)),
            Counter(name: "loop_longest_turn_us", value: EventLoop.microseconds(longestTurn)),
        ]
    }

    private static func microseconds(_ duration: Duration) -> Int { Int(duration / .microseconds(1)) }
}
