import Chat
import Noise
import Wire

@testable import ChatNode

extension FuzzTarget {
    /// Whatever becomes of the bytes between two ends: each talks to the other and nobody else, hears what that one said,
    /// in order and unchanged, or is dead.
    static let handshake = FuzzTarget(name: "handshake", seeds: Wiretap.seeds) { input in
        var choices = Choices(input)
        var wiretap = Wiretap(&choices)
        while !choices.isOver { wiretap.step(&choices) }
        wiretap.settle()
    }
}

/// Two ends of a link, and somebody who holds what is between them.
private struct Wiretap {
    private let ends: [LinkEnding]
    /// On the way to each end.
    private var underWay: [[UInt8]] = [[], []]
    private var isTampered = false
    private let isOneRoom: Bool

    static func seeds() -> [[UInt8]] {
        let shake: [UInt8] = [0, 1, 0, 0, 1, 1, 0, 1, 0, 0]
        let talk: [UInt8] = [6, 0, 1, 0, 5, 6, 1, 2, 1, 4, 0, 0, 1, 1]
        return [[1] + shake + talk, [0] + shake, [1] + shake + talk + [2, 0, 0, 9, 1] + talk]
    }

    init(_ choices: inout Choices) {
        isOneRoom = choices.flag()
        ends = [
            LinkEnding(.initiator, seed: 1, room: "lobby"),
            LinkEnding(.responder, seed: 2, room: isOneRoom ? "lobby" : "other"),
        ]
    }

    mutating func step(_ choices: inout Choices) {
        let operation = choices.below(9)
        let end = choices.below(2)
        switch operation {
        case 0, 1: deliver(to: end, choices.below(2) == 0 ? .max : choices.below(1_024))
        case 2:
            let place = choices.below(max(1, underWay[end].count))
            let difference = choices.byte()
            guard place < underWay[end].count, difference != 0 else { return }
            underWay[end][place] ^= difference
            isTampered = true
        case 3: tamper(end) { $0 += $0 }
        case 4: tamper(end) { $0.removeLast(min($0.count, 1 + choices.below(600))) }
        case 5: tamper(end) { $0 += choices.bytes(1 + choices.below(40)) }
        case 6, 7: ends[end].say(choices.byte(), choices.bytes(choices.below(64)), times: 1 + choices.below(40))
        default: pass(.milliseconds(choices.below(40_000)))
        }
        check()
    }

    /// Lets everything arrive. If nobody interfered, both ends are well.
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

/// One end of a link without a network.
private final class LinkEnding {
    let context: LinkContext
    var link: Link
    private(set) var now = Instant(nanoseconds: 0)
    private(set) var established: Certificate?
    private(set) var failure: LinkError?
    private(set) var said: [[UInt8]] = []
    private(set) var heard: [[UInt8]] = []
    private var randomness: Randomness
    private var plaintext: [UInt8] = []

    init(_ role: Link.Role, seed: UInt64, room: String) {
        var randomness = Randomness.seeded(seed)
        let identity = Identity.generate(using: &randomness)
        let staticKey = StaticKey(KeyPair.generate(using: &randomness, protection: .transient))
        let certificate = Certificate.issue(
            by: identity, noise: staticKey.publicKey, dm: staticKey.publicKey, epoch: 1, at: Timestamp(milliseconds: 1))
        context = LinkContext(certificate: certificate, staticKey: staticKey, room: RoomID(name: room))
        link = Link(role: role, context: context, now: now, using: &randomness)
        self.randomness = randomness
    }

    /// Says a frame of any type and length, over and over.
    func say(_ type: UInt8, _ body: [UInt8], times: Int) {
        let frame = [type] + (0..<times).flatMap { _ in body }
        guard link.isOpen, frame.count <= FramePacker.largestFrame else { return }
        link.enqueue(frame)
        switch FrameType(rawValue: type) {
        case nil, .ping, .pong: break
        case .payload, .certificate, .have, .want, .goodbye, .superseded, .sealed: said.append(frame)
        }
    }

    func output() -> [UInt8] {
        var bytes: [UInt8] = []
        do throws(LinkError) {
            try link.flush { span in
                bytes = [UInt8](copying: span)
                return span.count
            }
        } catch {
            failure = error
        }
        return bytes
    }

    func receive(_ bytes: [UInt8]) {
        var position = 0
        while let event = link.next(
            in: bytes.span, from: &position, plaintext: &plaintext, context: context, now: now)
        {
            demand(failure == nil, "a dead link tells something")
            switch event {
            case .established(let certificate):
                demand(established == nil, "a link is established twice")
                established = certificate
            case .frame(let type, let body):
                demand(established != nil, "a frame comes before the handshake is over")
                heard.append([type.rawValue] + plaintext[body])
            case .failed(let error): failure = error
            }
        }
    }

    func pass(_ time: Duration) {
        now = now + time
        do throws(LinkError) { try link.tick(now: now, using: &randomness) } catch { failure = error }
    }
}
