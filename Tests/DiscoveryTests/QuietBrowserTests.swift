import Noise
import Testing
import Wire

@testable import Discovery

/// One browser, and the time.
private struct Lone {
    var now = Instant(nanoseconds: 5_000_000_000)
    var random = Randomness.seeded(7)
    var browser: QuietBrowser

    init() { browser = QuietBrowser(for: QuietSegment.name, now: now, using: &random) }

    mutating func hear(_ packet: [UInt8], from sender: [UInt8] = [10, 0, 0, 9]) -> [QuietBrowser.Action] {
        browser.heard(packet[...], from: sender, now: now, using: &random)
    }

    mutating func hear(_ instances: [Int], timeToLive: UInt32 = 600) -> [QuietBrowser.Action] {
        hear(QuietSegment.response(instances.map(QuietSegment.instance), timeToLive: timeToLive))
    }

    /// Lets time pass until something is to be done, and does it.
    mutating func next() -> [QuietBrowser.Action] {
        now = max(now, browser.nextDue)
        return browser.due(now: now, using: &random)
    }

    /// The questions until `end`, and the other actions.
    mutating func run(until end: Instant) -> (asked: [Instant], told: [QuietBrowser.Action]) {
        var asked: [Instant] = [], told: [QuietBrowser.Action] = []
        while browser.nextDue <= end {
            for action in next() {
                if case .ask = action { asked.append(now) } else { told.append(action) }
            }
        }
        now = end
        return (asked, told)
    }

    /// Asks for the first time, and hears itself.
    mutating func begin() {
        for case .ask(let packet) in next() { _ = hear(packet, from: [10, 0, 0, 1]) }
    }
}

private func question(_ instances: [Int] = [], seconds: UInt32 = 600) -> [UInt8] {
    PointerQuestion.packets(
        for: QuietSegment.name, known: instances.map { (QuietSegment.instance($0), seconds) })[0]
}

private func name(_ number: Int) -> String { QuietSegment.instance(number) }

@Suite struct QuietBrowserTests {
    @Test func `alone it asks after 20 to 120 ms, after a second, and then twice as late each time, up to an hour`() {
        var lone = Lone()
        let start = lone.now
        let asked = lone.run(until: start + .seconds(100_000)).asked
        #expect((Duration.milliseconds(20)...Duration.milliseconds(120)).contains(asked[0] - start))
        let pauses = zip(asked.dropFirst(), asked).map { $0 - $1 }
        #expect((Duration.seconds(1)...Duration.milliseconds(1_250)).contains(pauses[0]))
        for (pause, former) in zip(pauses.dropFirst(), pauses) {
            #expect(pause >= min(former * 2, .seconds(3_600)) && pause <= .seconds(4_500))
        }
        #expect(pauses.last! >= .seconds(3_600))
    }

    @Test func `an instance is listed when it is heard, once, and gone a second after its goodbye`() {
        var lone = Lone()
        #expect(lone.hear([1, 2]) == [.list(name(1)), .list(name(2))])
        #expect(lone.hear([1]) == [])
        #expect(lone.hear([2, 3], timeToLive: 0) == [])
        let said = lone.now
        #expect(lone.run(until: said + .milliseconds(999)).told == [])
        #expect(lone.run(until: said + .milliseconds(1_000)).told == [.unlist(name(2))])
        #expect(lone.hear([2]) == [.list(name(2))])
    }

    @Test func `a goodbye that is taken back within the second is none`() {
        var lone = Lone()
        _ = lone.hear([1])
        _ = lone.hear([1], timeToLive: 0)
        #expect(lone.hear([1]) == [])
        #expect(lone.run(until: lone.now + .seconds(2)).told == [])
    }

    @Test func `an instance that is not announced again is asked for four times and then gone`() {
        var lone = Lone()
        // Its own pauses are long by then.
        _ = lone.run(until: lone.now + .seconds(50_000))
        let heard = lone.now
        _ = lone.hear([1])
        let (asked, told) = lone.run(until: heard + .seconds(601))
        let parts = asked.map { Double(($0 - heard).nanoseconds) / 6e11 }
        #expect(told == [.unlist(name(1))])
        #expect(parts.count >= 4)
        for (part, wanted) in zip(parts.suffix(4), [0.80, 0.85, 0.90, 0.95]) {
            #expect((wanted...wanted + 0.02).contains(part))
        }
    }

    @Test func `an instance announced again after a query is not asked for again, and stays`() {
        var lone = Lone()
        _ = lone.run(until: lone.now + .seconds(50_000))
        _ = lone.hear([1])
        var asked = 0
        let end = lone.now + .seconds(3_000)
        while lone.browser.nextDue < end {
            for action in lone.next() {
                guard case .ask(let packet) = action else { return #expect(Bool(false), "\(action)") }
                asked += 1
                if PointerPacket(packet[...], about: QuietSegment.name)?.pointers == [] { _ = lone.hear([1]) }
            }
        }
        #expect(asked <= 8)
    }

    @Test func `an instance announced for less than a minute is not asked for again`() {
        var lone = Lone()
        _ = lone.run(until: lone.now + .seconds(50_000))
        let heard = lone.now
        let due = lone.browser.nextDue
        _ = lone.hear([1], timeToLive: 59)
        #expect(lone.browser.nextDue == min(heard + .seconds(59), due))
    }

    @Test func `nothing holds for longer than 75 minutes`() {
        var lone = Lone()
        let heard = lone.now
        _ = lone.hear([1], timeToLive: .max)
        #expect(lone.run(until: heard + .seconds(4_499)).told == [])
        #expect(lone.run(until: heard + .seconds(4_501)).told == [.unlist(name(1))])
    }

    @Test func `the question names what has more than half of its time left`() throws {
        var lone = Lone()
        lone.begin()
        _ = lone.hear([1])
        lone.now = lone.now + .seconds(301)
        _ = lone.hear([2])
        var asked: [UInt8] = []
        for case .ask(let packet) in lone.next() { asked = packet }
        let packet = try #require(PointerPacket(asked[...], about: QuietSegment.name))
        #expect(packet.kind == .question && !packet.isTruncated)
        #expect(packet.pointers == [PointerPacket.Pointer(instance: name(2), timeToLive: 600)])
    }

    @Test func `a fresh start lists everything anew and asks at once`() {
        var lone = Lone()
        _ = lone.hear([2, 1])
        _ = lone.run(until: lone.now + .seconds(100))
        let actions = lone.browser.restart(now: lone.now, using: &lone.random)
        #expect(actions == [.list(name(2)), .list(name(1))])
        #expect(lone.browser.nextDue <= lone.now + .milliseconds(120))
    }

    @Test(arguments: 1...5 as ClosedRange<UInt64>)
    func `in a changing group, a full table evicts the oldest that is listed`(seed: UInt64) {
        var lone = Lone()
        var random = Randomness.seeded(seed)
        var listed: [Int] = []
        for _ in 0..<6_000 {
            let number = Int.random(in: 0..<3_000, using: &random)
            let isGoing = Int.random(in: 0..<3, using: &random) == 0
            _ = lone.hear([number], timeToLive: isGoing ? 0 : 4_000)
            if isGoing {
                lone.now = lone.now + QuietBrowser.goodbyeTime
                _ = lone.browser.due(now: lone.now, using: &lone.random)
                listed.removeAll { $0 == number }
            } else if !listed.contains(number) {
                if listed.count == QuietBrowser.maximumInstances { listed.removeFirst() }
                listed.append(number)
            }
        }
        #expect(lone.browser.instances == listed.map(name))
    }

    @Test func `in a full table the oldest makes room`() {
        var lone = Lone()
        for first in stride(from: 0, to: 1_024, by: 128) { _ = lone.hear(Array(first..<first + 128)) }
        #expect(lone.hear([0]) == [])
        #expect(lone.hear([2_000]) == [.unlist(name(0)), .list(name(2_000))])
        #expect(lone.browser.instances.count == 1_024)
    }
}

@Suite struct QuietBrowserDeputyTests {
    /// Whether a question in our stead, half a second before ours, moves ours.
    private func moves(
        _ lone: inout Lone, _ packets: [[UInt8]], from sender: [UInt8] = [10, 0, 0, 9]
    ) -> Bool {
        let due = lone.browser.nextDue
        lone.now = due + .milliseconds(-100)
        for packet in packets { #expect(lone.hear(packet, from: sender) == []) }
        return lone.browser.nextDue > due + .milliseconds(500)
    }

    @Test func `a browser that knows no more than we do asks in our stead`() {
        var lone = Lone()
        lone.begin()
        _ = lone.hear([1, 2])
        #expect(moves(&lone, [question([1])]))
        #expect(moves(&lone, [question([1, 2])]))
        #expect(!moves(&lone, [question([1, 2, 3])], from: [10, 0, 0, 8]))
    }

    @Test func `a browser that lists less than we do does not ask for us`() {
        var lone = Lone()
        lone.begin()
        _ = lone.hear([1])
        _ = lone.run(until: lone.now + .seconds(301))
        #expect(!moves(&lone, [question([1])]))
    }

    @Test func `the first question is our own`() {
        var lone = Lone()
        let due = lone.browser.nextDue
        lone.now = due + .milliseconds(-1)
        _ = lone.hear(question())
        #expect(lone.browser.nextDue == due)
    }

    @Test func `a question for another name, for an answer by unicast, of another class or kind is none of ours`() {
        var lone = Lone()
        lone.begin()
        var unicast = question(), otherClass = question(), otherKind = question()
        unicast[unicast.count - 2] = 0x80
        otherClass[otherClass.count - 1] = 3
        otherKind[otherKind.count - 3] = 255
        let other = PointerQuestion.packets(for: BrowsedName(type: "_r00000000._sub._earshot._tcp"), known: [])[0]
        var answer = question()
        answer[2] = 0x84
        for packet in [unicast, otherClass, otherKind, other, answer] { #expect(!moves(&lone, [packet])) }
    }

    @Test func `our own question, heard back, does not count for us`() {
        var lone = Lone()
        lone.begin()
        var asked: [UInt8] = []
        for case .ask(let packet) in lone.next() { asked = packet }
        #expect(!moves(&lone, [asked]))
        // A second one can not be the same packet.
        #expect(moves(&lone, [asked]))
    }

    @Test func `no browser asks in our stead more than twice in a row`() {
        var lone = Lone()
        lone.begin()
        #expect(moves(&lone, [question()]))
        #expect(moves(&lone, [question()]))
        #expect(!moves(&lone, [question()]))
        #expect(moves(&lone, [question()], from: [10, 0, 0, 8]))
        #expect(moves(&lone, [question()]))
        lone.begin()
        #expect(moves(&lone, [question()]))
    }

    @Test func `a browser that hears only others' questions asks at least every 75 minutes`() {
        var lone = Lone()
        lone.begin()
        let spoke = lone.now
        var asked: Instant?
        var sender: UInt8 = 0
        while asked == nil, lone.now < spoke + .seconds(10_000) {
            lone.now = lone.browser.nextDue + .milliseconds(-1)
            sender &+= 1
            _ = lone.hear(question(), from: [10, 0, 0, sender])
            lone.now = lone.now + .milliseconds(1)
            for case .ask in lone.browser.due(now: lone.now, using: &lone.random) { asked = lone.now }
        }
        #expect(asked.map { $0 - spoke < .seconds(3_600 + 4_500) } == true)
    }

    @Test func `questions one after the other keep us silent, but do not make our pauses longer`() {
        var lone = Lone()
        lone.begin()
        for number in 0..<100 {
            lone.now = lone.now + .milliseconds(300)
            _ = lone.hear(question(), from: [10, 0, 0, UInt8(number)])
        }
        #expect(lone.browser.nextDue <= lone.now + .milliseconds(1_250))
    }

    @Test func `a list that goes on counts when all of it was heard, of one sender`() {
        var lone = Lone()
        lone.begin()
        for first in [0, 30] { _ = lone.hear(Array(first..<first + 30)) }
        let known = (0..<60).map { (instance: name($0), seconds: UInt32(600)) }
        let packets = PointerQuestion.packets(for: QuietSegment.name, known: known)
        #expect(packets.count == 2)
        #expect(!moves(&lone, [packets[1]]))
        #expect(!moves(&lone, [packets[0]]))
        #expect(moves(&lone, packets))
        let more = PointerQuestion.packets(for: QuietSegment.name, known: known + [(name(99), 600)])
        #expect(!moves(&lone, more))
        _ = lone.hear(packets[0])
        #expect(!moves(&lone, [packets[1]], from: [10, 0, 0, 8]))
    }
}
