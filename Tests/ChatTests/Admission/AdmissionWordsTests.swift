import Noise
import Testing
import Wire

@testable import Chat

/// The rules for content, target and rates.
struct AdmissionWordsTests {
    let relay = PeerID.numbered(500)

    static func message(_ text: [UInt8], nickname: [UInt8] = [0x61]) -> [UInt8] {
        [0, UInt8(nickname.count)] + nickname + [0] + text
    }

    @Test(
        arguments: [
            (message([0xff]), "not_utf8"),
            (message([0xed, 0xa0, 0x80]), "not_utf8"),
            (message([0x61], nickname: [0xc0, 0x80]), "not_utf8"),
            (message([]), "empty"),
            (message([0x20, 0x0a]), "empty"),
            (message([UInt8](repeating: 0x61, count: 241)), "too_long"),
            (message([UInt8](repeating: 0x61, count: 3_073)), "too_many_bytes"),
            (message(Array(("a" + String(repeating: "\u{301}", count: 12)).utf8)), "too_dense"),
            (message([0x61], nickname: []), "invalid_nickname"),
            (message([0x61], nickname: [0x61, 0x0a, 0x61]), "invalid_nickname"),
            (message([0x61], nickname: [UInt8](repeating: 0x61, count: 25)), "invalid_nickname"),
            ([3, 1, 0x61, 0x61], "malformed"),
        ])
    func `a text or nickname that breaks a rule is dropped and counted`(body: [UInt8], reason: String) {
        var alice = Author(seed: 1)
        var gate = Gate()
        #expect(gate.admit(alice.frame(kind: 1, body: body), from: alice.id).text == "dropped " + reason)
        #expect(gate.admit(alice.frame(kind: 1, body: body, hops: 1), from: relay).text == "dropped " + reason)
        #expect(gate.admission.drops.map { [$0.key.rawValue: $0.value] } == [[reason: 2]])
    }

    @Test(
        arguments: [
            ([0x61, 0x0a, 0x61], "invalid_reason"), ([0x20, 0x61], "invalid_reason"), ([0x1b, 0x5b], "invalid_reason"),
            ([UInt8](repeating: 0x61, count: 81), "invalid_reason"), ([0xff], "not_utf8"),
            (Array(("a" + String(repeating: "\u{301}", count: 12)).utf8), "invalid_reason"),
        ] as [([UInt8], String)])
    func `a reason to be away that breaks a rule is dropped and counted`(reason: [UInt8], text: String) {
        var alice = Author(seed: 1)
        var gate = Gate()
        let body: [UInt8] = [1, 0, 1, 0x61, UInt8(reason.count)] + reason
        #expect(gate.admit(alice.frame(kind: 2, body: body), from: alice.id).text == "dropped " + text)
    }

    @Test func `a kind of a later version is counted and changes nothing`() {
        var alice = Author(seed: 1)
        var gate = Gate()
        #expect(gate.admit(alice.frame(kind: 8, body: []), from: alice.id).text == "dropped unknown_kind")
        #expect(gate.admit(alice.frame(kind: 8, body: [], hops: 1), from: relay).text == "dropped unknown_kind")
        #expect(gate.admit(alice.say("x")).text == "admitted")
    }

    @Test func `a frame that is cut short is malformed`() {
        var alice = Author(seed: 1)
        var gate = Gate()
        let frame = alice.say("x").frameBody()
        for length in 0..<frame.count {
            #expect(gate.admit(Array(frame[..<length]), from: alice.id).text == "dropped malformed")
        }
    }

    @Test(arguments: Bodies.all)
    func `a payload for one peer is dropped by every other peer`(body: PayloadBody) {
        var alice = Author(seed: 1)
        let isForOne = alice.sign(body).payload.target != nil
        var gate = Gate()
        #expect(gate.admit(alice.sign(body)).text == (isForOne ? "dropped misdirected" : "admitted"))
        #expect(gate.admit(alice.relayed(body), from: relay).text == (isForOne ? "dropped misdirected" : "admitted"))
    }

    @Test(
        arguments: [
            .typing(target: Gate.me, isOn: true), .dmRequest(target: Gate.me, nickname: "a", text: "hi"),
            .dmAccept(target: Gate.me), .dmDecline(target: Gate.me), .dmLeave(target: Gate.me),
            .directMessage(target: Gate.me, nickname: "a", text: "hi"),
            .delivered(target: Gate.me, ids: [.numbered(1)]), .read(target: Gate.me, ids: [.numbered(1)]),
        ] as [PayloadBody])
    func `a payload for us is admitted over its author's link`(body: PayloadBody) {
        var alice = Author(seed: 1)
        var gate = Gate()
        #expect(gate.admit(alice.sign(body)).text == "admitted")
        #expect(gate.admit(alice.relayed(body), from: relay).text == "dropped misdirected")
    }

    @Test func `an author sends 20 messages at once and then 4 a second`() {
        var alice = Author(seed: 1)
        var bob = Author(seed: 2)
        var gate = Gate()
        for _ in 0..<20 { #expect(gate.admit(alice.say("spam")).text == "admitted") }
        #expect(gate.admit(alice.say("spam")).text == "dropped author_rate")
        #expect(gate.admit(alice.say("spam"), hops: 1, from: relay).text == "dropped author_rate")
        #expect(gate.admit(bob.say("I am not Alice")).text == "admitted")
        #expect(gate.admit(alice.sign(.typing(target: nil, isOn: true))).text == "admitted")
        gate.pass(.seconds(1))
        let heard = (0..<10).count { _ in gate.admit(alice.say("spam")).admitted != nil }
        #expect(heard == 4)
    }

    @Test func `a misdirected payload takes a token of its author`() {
        var alice = Author(seed: 1)
        var gate = Gate()
        let verdicts = (0..<60).map { _ in
            gate.admit(alice.sign(.directMessage(target: relay, nickname: "alice", text: "spam"))).text
        }
        #expect(verdicts.count { $0 == "dropped misdirected" } == 20)
        #expect(verdicts.count { $0 == "dropped author_rate" } == 40)
    }

    @Test func `a payload that was dropped for its rate is admitted later`() {
        var alice = Author(seed: 1)
        var gate = Gate()
        for _ in 0..<20 { _ = gate.admit(alice.say("spam")) }
        let late = alice.say("late")
        #expect(gate.admit(late).text == "dropped author_rate")
        gate.pass(.seconds(1))
        #expect(gate.admit(late).text == "admitted")
    }

    @Test func `an honest sender stays below the rates`() {
        var alice = Author(seed: 1)
        var gate = Gate()
        var pace = TokenBucket(Rate(perSecond: Limits.sendPerSecond, burst: Limits.sendBurst), now: gate.now)
        for _ in 0..<600 {
            if pace.takeTokens(now: gate.now) { #expect(gate.admit(alice.say("x")).text == "admitted") }
            gate.pass(.milliseconds(100))
        }
    }

    @Test func `a link relays 40 frames at once and then 20 a second`() {
        var gate = Gate()
        var authors = (1...5 as ClosedRange<UInt64>).map { seed in Frames(seed: seed, count: 20) }
        func heard(_ count: Int) -> Int {
            (0..<count).count { gate.admit(authors[$0 % 5].next(), from: relay).text == "admitted" }
        }
        #expect(heard(60) == 40)
        #expect(gate.admission.drops == [.relayRate: 20])
        gate.pass(.seconds(1))
        #expect(heard(30) == 20)
    }

    @Test func `a link introduces 5 new authors at once and then 5 a minute`() {
        var gate = Gate()
        func heard(_ seeds: ClosedRange<UInt64>) -> Int {
            seeds.count { seed in
                var author = Author(seed: seed)
                return gate.admit(author.say("new"), hops: 1, from: relay).admitted != nil
            }
        }
        #expect(heard(1...8) == 5)
        #expect(gate.admission.drops == [.newAuthorRate: 3])
        gate.pass(.seconds(12))
        #expect(heard(9...10) == 1)
        let learned = [relay, .numbered(4)].map { gate.learn(epoch: 1, of: .numbered(3), via: $0) }
        #expect(learned == [false, true])
        var known = Author(seed: 1)
        known.sequence = 5
        #expect(gate.admit(known.say("old friend"), hops: 1, from: relay).text == "admitted")
    }

    @Test func `a rate of 0 limits nothing`() {
        var gate = Gate(rate: 0)
        for seed in 1...20 as ClosedRange<UInt64> {
            var author = Author(seed: seed)
            for _ in 0..<10 { #expect(gate.admit(author.say("x"), hops: 1, from: relay).text == "admitted") }
        }
    }
}

/// Frames of one author, signed in advance.
struct Frames {
    private var frames: [[UInt8]] = []

    init(seed: UInt64, count: Int) {
        var author = Author(seed: seed)
        for _ in 0..<count { frames.append(author.say("x").frameBody(hops: 1)) }
    }

    mutating func next() -> [UInt8] { frames.removeFirst() }
}
