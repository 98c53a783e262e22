import Chat
import Noise
import Wire

@testable import ChatNode

extension FuzzTarget {
    /// For all changes to the bytes between two ends, each end receives the other's frames in order and unchanged, or
    /// closes the link.
    static let handshake = FuzzTarget(name: "handshake", seeds: Wiretap.seeds) { input in
        var choices = Choices(input)
        var wiretap = Wiretap(&choices)
        while !choices.isOver { wiretap.step(&choices) }
        wiretap.settle()
    }
}

/// Two ends of a link, and an attacker that controls the bytes between them.
private struct Wiretap {
    private let ends: [LinkEnding]
    /// The bytes in transit to each end.
    private var underWay: [[UInt8]] = [[], []]
    private var isTampered = false
    private let isOneRoom: Bool
    /// The times that the keys were to be replaced.
    private var renewals = 0
    /// More at once are not answered.
    private static let mostRenewals = 2
    /// The most bytes in transit that repeating makes; without a limit, a few bytes of input would become gigabytes.
    private static let mostRepeated = 65_536

    static func seeds() -> [[UInt8]] {
        let shake: [UInt8] = [0, 1, 0, 0, 0, 0, 0, 1, 0]
        let talk: [UInt8] = [6, 0, 1, 3, 7, 8, 9, 2, 6, 1, 4, 1, 5, 39, 0, 1, 1, 0, 40, 0, 0, 0, 0, 1, 0]
        let record: [UInt8] = [9, 0, 0, 7, 0, 2, 5, 1, 0, 1, 200, 1, 1, 1]
        let exchange: [UInt8] = [0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0]
        let renew: [UInt8] = [10, 0] + exchange + exchange
        let slow: [UInt8] = [
            6, 0, 4, 9, 1, 2, 3, 4, 5, 6, 7, 8, 9, 39, 13, 0, 0, 9, 0, 9, 11, 1, 0, 0, 0, 11, 1, 0, 0, 0, 8, 0, 58, 152,
            13, 0, 0, 1, 0, 1,
        ]
        let life: [UInt8] =
            [11, 0, 11, 1] + exchange + [12, 0, 13, 0, 0, 9, 0, 1] + exchange + [8, 0, 117, 48] + exchange
        return [
            [1] + shake + renew + renew + talk, [1] + shake + slow + slow + exchange,
            [1] + shake + slow + slow + slow + slow + slow, [1] + shake + life + life,
            [1] + shake + [10, 0, 0, 1, 0, 2, 0, 0, 40, 1] + renew, [1] + shake + life + [12, 1, 8, 0, 117, 48] + life,
            [1] + shake + talk, [0] + shake, [1] + shake + record, [1] + shake + talk + [2, 0, 0, 9, 1] + talk,
        ]
    }

    init(_ choices: inout Choices) {
        isOneRoom = choices.flag()
        ends = [
            LinkEnding(.initiator, seed: 1, room: "lobby"),
            LinkEnding(.responder, seed: 2, room: isOneRoom ? "lobby" : "other"),
        ]
    }

    mutating func step(_ choices: inout Choices) {
        let operation = choices.below(14)
        let end = choices.below(2)
        switch operation {
        case 0, 1: deliver(to: end, choices.below(2) == 0 ? .max : choices.below(1_024))
        case 2:
            let place = choices.below(max(1, underWay[end].count))
            let difference = choices.byte()
            guard place < underWay[end].count, difference != 0 else { return }
            underWay[end][place] ^= difference
            isTampered = true
        case 3: tamper(end) { $0 += $0.prefix(max(0, Wiretap.mostRepeated - $0.count)) }
        case 4: tamper(end) { $0.removeLast(min($0.count, 1 + choices.below(600))) }
        case 5: tamper(end) { $0 += choices.bytes(1 + choices.below(40)) }
        case 6, 7: ends[end].say(choices.byte(), choices.bytes(choices.below(64)), times: 1 + choices.below(40))
        case 10: renew()
        case 11: ends[end].ping()
        case 12: ends[end].probe()
        case 13:
            // The network takes a part, and the machine behind it has acknowledged less.
            underWay[1 - end] += ends[end].output(most: choices.below(1_024))
            ends[end].review(unacknowledged: choices.below(1_024))
        case 8: pass(.milliseconds(choices.below(40_000)))
        default: sayRecord(end, choices.bytes(choices.below(128)), filler: choices.below(4) == 0 ? choices.byte() : 0)
        }
        check()
    }

    /// Delivers all bytes. If the attacker changed nothing, both ends are established.
    mutating func settle() {
        for _ in 0..<8 {
            deliver(to: 0, .max)
            deliver(to: 1, .max)
        }
        check()
        let hasFailed = ends.contains { $0.failure != nil }
        let isLate = ends.contains { $0.now > Instant(nanoseconds: 0) }
        guard !isTampered, !isLate else { return }
        demand(hasFailed != isOneRoom, "an undisturbed handshake of one room fails, or of two does not")
        guard isOneRoom else { return }
        for end in ends {
            demand(end.established != nil, "an undisturbed handshake does not end")
            demand(end.link.renewals == renewals, "keys are replaced otherwise than begun")
        }
        demand(ends[0].heard == ends[1].said && ends[1].heard == ends[0].said, "something said is not heard")
    }

    /// One exchange of keys goes on at a time.
    private mutating func renew() {
        let isOpen = ends.allSatisfy { $0.link.isOpen && $0.link.renewals == renewals }
        guard isOpen, renewals < Wiretap.mostRenewals else { return }
        ends[0].renew()
        renewals += 1
    }

    private mutating func deliver(to end: Int, _ most: Int) {
        underWay[end] += ends[1 - end].output()
        ends[end].receive(Array(underWay[end].prefix(most)))
        underWay[end] = Array(underWay[end].dropFirst(most))
    }

    private mutating func tamper(_ end: Int, _ change: (inout [UInt8]) -> Void) {
        let before = underWay[end]
        change(&underWay[end])
        if underWay[end] != before { isTampered = true }
    }

    /// A malformed record with a valid authentication tag.
    private mutating func sayRecord(_ end: Int, _ bytes: [UInt8], filler: UInt8) {
        underWay[1 - end] += ends[end].output()
        let plaintext = bytes + [UInt8](repeating: filler, count: Limits.recordPlaintexts[0] - bytes.count)
        if !ends[end].say(record: plaintext) { isTampered = true }
    }

    private func pass(_ time: Duration) {
        for end in ends { end.pass(time) }
    }

    private func check() {
        for (end, other) in [(ends[0], ends[1]), (ends[1], ends[0])] {
            demand(end.established == nil || end.established == other.context.certificate, "a link with a stranger")
            demand(other.said.starts(with: end.heard), "something is heard that was not said")
            demand(end.failure == nil || end.link.isDead, "a link failed and lives")
            demand(end.link.isDead == (end.link.deadline == nil), "a link has a deadline and is dead, or lives without")
            demand(end.link.isDead || end.link.lastReceived <= end.now, "a link heard something in the future")
            demand(end.established == nil || end.link.isOpen || end.link.isDead, "a link is neither open nor dead")
        }
    }
}
