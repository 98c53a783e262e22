import Chat
import Testing
import Wire

@testable import ChatNode

/// The counters of links.
@Suite struct LinkTallyTests {
    private func value(_ metric: Metric, in tally: LinkTally) -> Int? {
        tally.counters.first { $0.metric == metric }?.value
    }

    @Test func `each number is in the counter of its name`() {
        var tally = LinkTally()
        let fields: [(WritableKeyPath<LinkTally, Int>, Metric)] = [
            (\.handshakesDone, .handshakesDone), (\.connectionsRefused, .connectionsRefused), (\.dials, .dials),
            (\.dialsFailed, .dialsFailed), (\.reconnects, .reconnects), (\.linksReplaced, .linksReplaced),
            (\.keysReplaced, .keysReplaced), (\.linksSilent, .linksSilent), (\.payloadsSent, .payloadsSent),
            (\.bytesReceived, .bytesReceived), (\.bytesSent, .bytesSent), (\.unknownFrames, .unknownFrames),
            (\.unexpectedFrames, .unexpectedFrames), (\.pingsUnanswered, .pingsUnanswered), (\.bans, .bans),
            (\.superseded, .superseded),
        ]
        for (index, field) in fields.enumerated() { tally[keyPath: field.0] = index + 1 }
        #expect(fields.map { value($0.1, in: tally) } == Array(1...fields.count))
        #expect(Set(tally.counters.map(\.metric)).count == tally.counters.count)
        #expect(PayloadType.allCases.allSatisfy { value(.sent($0), in: tally) == 0 })
    }

    @Test func `each fault of a link has a counter, and an end without a fault has none`() {
        var tally = LinkTally()
        let before = tally.counters
        var runs = Runs(identitySeed: 1)
        let certificate = runs.certificate(epoch: 1)
        let ends: [Closing] = [
            .violation, .blocked, .refused, .leaving, .replaced, .ownSession, .signedOut(by: certificate), .unneeded,
            .full, .farewell(reason: 0), .transportClosed(.timedOut),
        ]
        for end in ends { tally.count(end) }
        #expect(tally.counters == before)
        for (index, error) in LinkError.allCases.enumerated() {
            for _ in 0...index { tally.count(.failed(error)) }
        }
        for end in [Closing.ban, .superseded(by: certificate), .superseded(by: certificate)] { tally.count(end) }
        #expect(LinkError.allCases.map { value(.link($0), in: tally) } == Array(1...LinkError.allCases.count))
        #expect(value(.bans, in: tally) == 1 && value(.superseded, in: tally) == 2)
    }

    @Test func `the system of a killed peer closes or resets its links, and any other fault may be the network's`() {
        #expect(Closing.transportClosed(nil).end == .closed && Closing.transportClosed(.reset).end == .closed)
        let others: [TransportError] = [.refused, .unreachable, .timedOut, .system(call: "recv", errno: 5)]
        for error in others { #expect(Closing.transportClosed(error).end == .lost) }
    }
}
