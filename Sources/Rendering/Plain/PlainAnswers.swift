package import Commands
import Chat
package import ChatNode
package import Wire

/// The plain lines of an answer, each a notice.
package enum PlainAnswers {
    package static func lines(of answer: Answer, at time: Timestamp, clock: (Timestamp) -> String) -> [String] {
        switch answer {
        case .peers(let peers): peers.isEmpty ? ["nobody else is here"] : peers.map { line($0, at: time) }
        case .requests(let requests): requests.isEmpty ? ["no requests"] : requests.map(line)
        case .history(let conversation, let messages): [historyHead(conversation, count: messages.count)]
        case .unread(let summaries): summaries.map { line($0, clock: clock) }
        // People want to know what happened; JSON also tells what did not.
        case .statistics(let counters): counters.filter { $0.value != 0 }.map { "\($0.metric.name) \($0.value)" }
        case .help(let entries): help(entries)
        case .active(_, let conversation): ["you are looking at \(PlainName.of(conversation))"]
        case .done(let command, let who): [done(command, PlainName.of(who))]
        case .verification(let who, let code, let isVerified, let isKept):
            verification(who, code, isVerified: isVerified, isKept: isKept)
        case .wiped(let lost, let files): wiped(lost, files: files)
        }
    }

    private static func done(_ command: String, _ name: String) -> String {
        switch command {
        case "nick": "you are now \(name)"
        case "away": "you are away"
        case "back": "you are back"
        case "mute": "\(name) is muted and not told"
        case "unmute": "\(name) is no longer muted"
        case "block": "\(name) is blocked and not told"
        case "unblock": "\(name) is no longer blocked"
        default: "\(command): \(name)"
        }
    }

    static func historyHead(_ conversation: ConversationView, count: Int) -> String {
        "history of \(PlainName.of(conversation)): \(self.count(count, "message"))"
    }

    private static func line(_ peer: PeerView, at time: Timestamp) -> String {
        let milliseconds = time.milliseconds - min(time.milliseconds, peer.since.milliseconds)
        var line = "\(PlainName.of(peer.who)) \(peer.state.name) for \(elapsed(seconds: milliseconds / 1_000))"
        if let roundTrip = peer.roundTrip { line += ", \(Milliseconds(roundTrip).text) ms" }
        if peer.isMuted { line += ", muted" }
        if peer.isVerified { line += ", verified" }
        if peer.isBlocked { line += ", blocked" }
        // At the end, so that a peer cannot write marks about itself.
        if let reason = peer.reason { line += ": \(DisplayGuard.safe(reason))" }
        return line
    }

    private static func line(_ request: (who: PeerName, text: String)) -> String {
        "\(PlainName.of(request.who)) asks: \(DisplayGuard.safe(request.text))"
    }

    private static func line(_ summary: ConversationSummary, clock: (Timestamp) -> String) -> String {
        let last = summary.last.map { ", last \(clock(PlainMessage.time(of: $0))) \(PlainMessage($0).text)" } ?? ""
        let mark = summary.isActive ? " (open)" : ""
        return "\(PlainName.of(summary.conversation))\(mark): \(summary.unread) unread\(last)"
    }

    private static func verification(_ who: PeerName, _ code: String, isVerified: Bool, isKept: Bool) -> [String] {
        let name = PlainName.of(who)
        let head = "\(name), \(isVerified ? "" : "not ")verified: \(code)"
        if isVerified { return [head, isKept ? "kept with your identity" : "remembered until you leave"] }
        let number = who.numberText
        return [head, "read it to each other over another way; if it is the same, /verify \(number) ok"]
    }

    package static func wiped(_ lost: MemoryUsage, files: [String]) -> [String] {
        [
            "forgotten: \(count(lost.conversations, "conversation")) with \(count(lost.messages, "message"))",
            "forgotten: \(count(lost.peers, "peer")), and who was muted, blocked or verified",
            "forgotten: your keys",
        ] + files.map { "removed: \(DisplayGuard.safe($0)), of which the disk may keep traces" }
            + ["you go on under a new identity, which no file keeps"]
    }

    private static func count(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }

    private static func help(_ entries: [CommandEntry]) -> [String] {
        let width = entries.map(\.usage.count).max() ?? 0
        let table = entries.map { entry in
            entry.usage + String(repeating: " ", count: width - entry.usage.count + 2) + entry.help
        }
        return table + ["WHO is 4821, #4821, #4821-3377 or a nickname; // begins a message with a slash"]
    }

    private static func elapsed(seconds: UInt64) -> String {
        switch seconds {
        case ..<60: "\(seconds) s"
        case ..<3_600: "\(seconds / 60) min"
        default: "\(seconds / 3_600) h"
        }
    }
}
