import Noise
import Wire

@testable import Discovery

extension FuzzTarget {
    /// For all packets of all senders, queries are valid, bounded and never cease, and the listed instances are consistent.
    static let browser = FuzzTarget(name: "browser", seeds: BrowserRun.seeds) { input in
        var choices = Choices(input)
        var run = BrowserRun()
        while !choices.isOver { run.step(&choices) }
        run.pass(.seconds(10_000))
        demand(run.listed.isEmpty, "an expired instance is still listed")
    }
}

private struct BrowserRun {
    private static let name = BrowsedName(type: "_r73b49a38._sub._earshot._tcp")

    private var now = Instant(nanoseconds: 0)
    private var random = Randomness.seeded(1)
    private var browser: QuietBrowser
    private var spokeAt = Instant(nanoseconds: 0)
    private(set) var listed: Set<String> = []

    init() { browser = QuietBrowser(for: Self.name, now: now, using: &random) }

    static func seeds() -> [[UInt8]] {
        let known = (0..<3).map { (instance: instance($0), seconds: UInt32(600)) }
        let question = PointerQuestion.packets(for: name, known: known)[0]
        let answer = [0, 0, 0x84, 0, 0, 0, 0, 3, 0, 0, 0, 0] + question.dropFirst(12 + name.wire.count + 4)
        return [
            [0] + question, [0] + answer, [1, 0, 2, 200, 5, 255, 2, 0, 2, 5, 255, 4, 1, 5, 20],
            [1, 0, 3, 2, 7, 5, 10, 8, 1, 20, 5, 15, 3, 0, 3, 0, 0, 2, 0, 0, 1, 2, 0, 60, 1, 8, 0, 9, 4, 3, 7],
            [9, 0, 3, 5, 14, 3, 0, 3, 1, 0, 5, 12, 3, 0, 60, 1, 0, 0] + [
                6, 0, 39, 6, 1, 39, 6, 2, 39, 6, 3, 39, 6, 4, 39,
            ],
            [1, 0, 9, 0, 3, 3, 9, 1, 5, 100, 3, 0, 9, 2, 5, 200, 6, 0, 7, 90, 1],
        ]
    }

    mutating func step(_ choices: inout Choices) {
        switch choices.below(10) {
        case 0: hear(choices.rest(), from: [0])
        case 1: hear(Self.response(choices.below(256), choices.below(40), UInt32(choices.below(4)) * 300), from: [0])
        case 2: hear(Self.response(choices.below(256), 1, UInt32(choices.below(256))), from: [choices.byte()])
        case 3: ask(&choices)
        case 4:
            var packet = Self.response(choices.below(256), 3, 600)
            choices.mutate(&packet, times: 4)
            hear(packet, from: [1])
        case 5: pass(.milliseconds(1 << choices.below(22)))
        case 8:
            let end = choices.flag() ? now + .seconds(choices.below(256) * 8) : nil
            browser.pursue(until: end, now: now, using: &random)
        case 9: assume(choices.below(256), choices.below(4))
        case 6:
            let start = choices.below(256) * 40
            for first in start..<start + choices.below(40) { hear(Self.response(first * 32, 32, 600), from: [1]) }
        default:
            let again = browser.restart(now: now, using: &random)
            demand(again == browser.instances.map { .list($0) }, "a restart does not list every instance again")
            demand(Set(browser.instances) == listed, "a restart lists other instances than before")
            spokeAt = now
        }
        demand(listed.count <= QuietBrowser.maximumInstances, "\(listed.count) instances")
    }

    mutating func pass(_ time: Duration) {
        let end = now + time
        while browser.nextDue <= end {
            now = max(now, browser.nextDue)
            take(browser.due(now: now, using: &random))
            demand(browser.nextDue > now, "a deadline stays in the past")
        }
        now = end
        demand(now - spokeAt <= .seconds(3_600 + 4_500), "the queries have ceased")
    }

    /// Instances that another browser knew: they are listed without an action, so a restart tells of them.
    private mutating func assume(_ first: Int, _ count: Int) {
        let instances = (first..<first + count).map(Self.instance)
        guard listed.count + count <= QuietBrowser.maximumInstances else { return }
        browser.assume(instances, timeToLive: 600, now: now, using: &random)
        listed.formUnion(instances)
    }

    private mutating func ask(_ choices: inout Choices) {
        let first = choices.below(256)
        let known = (first..<first + choices.below(100)).map { (instance: Self.instance($0), seconds: UInt32(600)) }
        let sender = choices.byte() & 3
        for var packet in PointerQuestion.packets(for: Self.name, known: known) {
            if choices.below(4) == 1 { choices.mutate(&packet, times: 2) }
            hear(packet, from: [sender])
        }
    }

    private mutating func hear(_ packet: [UInt8], from sender: [UInt8]) {
        take(browser.heard(packet[...], from: sender, now: now, using: &random))
    }

    private mutating func take(_ actions: [QuietBrowser.Action]) {
        for action in actions {
            switch action {
            case .ask(let bytes):
                spokeAt = now
                demand(bytes.count <= PointerQuestion.packetSize, "a packet of \(bytes.count) bytes")
                guard let packet = PointerPacket(bytes[...], about: Self.name), packet.kind != .response else {
                    fatalError("a malformed query")
                }
                demand(packet.pointers.allSatisfy { listed.contains($0.instance) }, "an unknown known answer")
            case .list(let instance): demand(listed.insert(instance).inserted, "an instance is listed twice")
            case .unlist(let instance): demand(listed.remove(instance) != nil, "an unlisted instance is unlisted")
            }
        }
    }

    private static func response(_ first: Int, _ count: Int, _ timeToLive: UInt32) -> [UInt8] {
        var packet: [UInt8] = [0, 0, 0x84, 0, 0, 0, 0, UInt8(count), 0, 0, 0, 0]
        for number in first..<first + count {
            let target = MDNSName.instance(instance(number)).wire
            packet += name.wire + [0, 12, 0, 1, 0, 0, UInt8(timeToLive >> 8), UInt8(truncatingIfNeeded: timeToLive)]
            packet += [0, UInt8(target.count)] + target
        }
        return packet
    }

    private static func instance(_ number: Int) -> String {
        let digits = String(number).utf8.map { UnicodeScalar($0 - 48 + 97) }
        return digits.reduce(into: "") { $0.unicodeScalars.append($1) }
            + String(repeating: "z", count: RandomNames.length - digits.count)
    }
}
