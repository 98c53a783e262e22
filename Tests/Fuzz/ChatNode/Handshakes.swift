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
    /// The most bytes in transit that repeating makes; without a limit, a few bytes of input would become gigabytes.
    private static let mostRepeated = 65_536

    static func seeds() -> [[UInt8]] {
        let shake: [UInt8] = [0, 1, 0, 0, 1, 1, 0, 1, 0, 0]
        let talk: [UInt8] = [6, 0, 1, 0, 5, 6, 1, 2, 1, 4, 0, 0, 1, 1]
        let record: [UInt8] = [9, 0, 0, 7, 0, 2, 5, 1, 0, 1, 200, 1, 1, 1]
        return [[1] + shake + talk, [0] + shake, [1] + shake + record, [1] + shake + talk + [2, 0, 0, 9, 1] + talk]
    }

    init(_ choices: inout Choices) {
        isOneRoom = choices.flag()
        ends = [
            LinkEnding(.initiator, seed: 1, room: "lobby"),
            LinkEnding(.responder, seed: 2, room: isOneRoom ? "lobby" : "other"),
        ]
    }

    mutating func step(_ choices: inout Choices) {
        let operation = choices.below(10)
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
        for end in ends { demand(end.established != nil, "an undisturbed handshake does not end") }
        demand(ends[0].heard == ends[1].said && ends[1].heard == ends[0].said, "something said is not heard")
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
            demand(end.established == nil || end.link.isOpen || end.link.isDead, "a link is neither open nor dead")
        }
    }
}
