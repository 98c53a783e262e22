import Commands
import ChatNode
import Reactor

/// The program's counters in `/stats`.
extension ReportQueue {
    var counters: [Counter] {
        [Counter(.eventsNotShown, dropped), Counter(.reportsWaiting, count)]
    }
}

extension EventLoop {
    var counters: [Counter] {
        [
            Counter(.loopTurns, turns),
            Counter(.loopLastTurn, EventLoop.microseconds(latestTurn)),
            Counter(.loopLongestTurn, EventLoop.microseconds(longestTurn)),
        ]
    }

    private static func microseconds(_ duration: Duration) -> Int { Int(duration / .microseconds(1)) }
}
