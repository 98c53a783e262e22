import Testing
import Wire

@testable import Chat

/// The rates of links in a large room (Protocol.md section 13).
@Suite struct AdmissionCrowdTests {
    private let relay = PeerID.numbered(500)

    /// How many of `count` relayed payloads are admitted, each of another author.
    ///
    /// - Parameter links: that they come on in turn.
    private func admitted(
        _ count: Int, from seed: UInt64, by gate: inout Gate, isOverlay: Bool, links: UInt64 = 1
    ) -> Int {
        (0..<UInt64(count)).count { number in
            let relay = links == 1 ? relay : PeerID.numbered(501 + number % links)
            var author = Author(seed: seed + number)
            author.time = gate.wallClock
            let frame = author.say("hello").frameBody(hops: 2)
            let verdict = gate.admit(
                frame, from: .live(LiveLink(to: relay, epoch: 1, kind: isOverlay ? .overlay : .mesh)))
            return verdict.text == "admitted"
        }
    }

    @Test func `a link in a large room introduces 135 authors at once, all together 180, a mesh link 5`() {
        var gate = Gate()
        #expect(admitted(250, from: 1_000, by: &gate, isOverlay: true) == 135)
        // Less than a neighbour takes of one link, which this node passes them on over.
        #expect(admitted(80, from: 1_500, by: &gate, isOverlay: true, links: 5) == 45)
        #expect(Limits.crowdAuthorsBurst < Limits.treeAuthorsBurst)
        gate.now = gate.now + .seconds(1)
        #expect(admitted(50, from: 2_000, by: &gate, isOverlay: true) == 2)
        gate.now = gate.now + .seconds(20)
        #expect(admitted(400, from: 2_500, by: &gate, isOverlay: true) == 135)
        var mesh = Gate()
        #expect(admitted(50, from: 1_000, by: &mesh, isOverlay: false) == 5)
    }

    @Test func `a link in a large room relays 270 payloads at once, another link 40`() {
        for (isOverlay, most) in [(true, 270), (false, 40)] {
            var gate = Gate()
            // Typing costs each author little, and thirty authors are met one by one.
            var authors: [UInt64] = []
            for number in 0..<30 as Range<UInt64> {
                authors.append(3_000 + number)
                _ = gate.learn(epoch: 1, of: Author(seed: 3_000 + number).id, via: nil)
            }
            var count = 0
            for sequence in 1...20 as ClosedRange<UInt64> {
                for seed in authors {
                    let author = Author(seed: seed)
                    let frame = author.sign(.typing(target: nil, isOn: true), sequence: sequence).frameBody(hops: 1)
                    let verdict = gate.admit(
                        frame, from: .live(LiveLink(to: relay, epoch: 1, kind: isOverlay ? .overlay : .mesh)))
                    if verdict.text == "admitted" { count += 1 }
                }
            }
            #expect(count == most)
        }
    }

    @Test func `new identities together fill no large room`() {
        var gate = Gate()
        _ = gate.learn(epoch: 1, of: PeerID.numbered(9), via: nil)
        // In the first minute all are new to the node, and none counts as young.
        #expect(admitted(60, from: 1_000, by: &gate, isOverlay: true) == 60)
        gate.now = gate.now + .seconds(61)
        #expect(admitted(60, from: 2_000, by: &gate, isOverlay: true) == 30)
        gate.now = gate.now + .seconds(1)
        #expect(admitted(19, from: 3_000, by: &gate, isOverlay: true) == 10)
        // Those that were heard of a minute ago are young no more.
        gate.now = gate.now + .seconds(61)
        let known = (0..<60 as Range<UInt64>).count { number in
            let author = Author(seed: 1_000 + number)
            let signed = author.sign(
                .publicMessage(stage: .newcomer, nickname: "author", text: "again"), sequence: 2)
            let verdict = gate.admit(
                signed.frameBody(hops: 2), from: .live(LiveLink(to: relay, epoch: 1, kind: .overlay)))
            return verdict.text == "admitted"
        }
        #expect(known == 60)
    }

    @Test func `the bit of a bridge counts on its own link, and lifts the rate where the user consents`() {
        for (bridge, most) in [(BridgeStanding.unknown, 0), (.known, 5), (.trusted, 60)] {
            var gate = Gate()
            let count = (0..<60 as Range<UInt64>).count { number in
                var author = Author(seed: 7_000 + number)
                let frame = author.say("from elsewhere").frame(hops: 1, isBridged: true).dropFirst()
                return gate.admit(Array(frame), from: relay, bridge: bridge).text == "admitted"
            }
            #expect(count == most)
        }
    }

    @Test func `a newcomer finds room beside three fresh flooders, and beside links that bring invented authors`() {
        var gate = Gate()
        _ = gate.learn(epoch: 1, of: PeerID.numbered(9), via: nil)
        gate.now = gate.now + .seconds(61)
        func admits(_ frame: [UInt8], from link: PeerID) -> Bool {
            let verdict = gate.admit(frame, from: .live(LiveLink(to: link, epoch: 1, kind: .overlay)))
            return verdict.text == "admitted"
        }
        var heard = 0
        for second in 0..<20 as Range<UInt64> {
            gate.now = gate.now + .seconds(1)
            // Three authors on the newcomer's own link, and forty invented ones on each of three others.
            for number in 0..<30 as Range<UInt64> {
                let flooder = Author(seed: 8_000 + number % 3)
                let text = PayloadBody.publicMessage(stage: .newcomer, nickname: "flood", text: "\(second)")
                _ = admits(
                    flooder.sign(text, sequence: second * 10 + number / 3 + 1).frameBody(hops: 2), from: relay)
            }
            for number in 0..<120 as Range<UInt64> {
                var invented = Author(seed: 9_000 + second * 120 + number)
                let link = PeerID.numbered(600 + number % 3)
                _ = admits(invented.say("invented").frameBody(hops: 2), from: link)
            }
            let newcomer = Author(seed: 8_500)
            let text = PayloadBody.publicMessage(stage: .newcomer, nickname: "newcomer", text: "\(second)")
            let isHeard = admits(newcomer.sign(text, sequence: second + 1).frameBody(hops: 2), from: .numbered(700))
            if isHeard { heard += 1 }
        }
        #expect(heard == 20)
    }

    @Test func `a reaction that is refused takes nothing of what messages have`() {
        let now = Instant(nanoseconds: 0)
        func messages(behind reactions: UInt64) -> Int {
            var states = AuthorStates(rates: AdmissionRates())
            states.learn(epoch: 1, of: .numbered(1), now: now)
            func take(_ type: PayloadType, _ link: UInt64) -> Bool {
                let source = LinkSource(link)
                let isTaken: Void? = try? states.takeRelayToken(
                    type, of: .numbered(1), from: .numbered(link), source, as: .overlay, now: now)
                return isTaken != nil
            }
            for number in 0..<reactions { _ = take(.reaction, 10 + number % 6) }
            return (0..<600 as Range<UInt64>).count { take(.publicMessage, 20 + $0 % 6) }
        }
        let (few, many) = (messages(behind: 600), messages(behind: 3_000))
        #expect(many == few)
        #expect(many > 0)
    }

    @Test func `a source that puts cards up pays their whole price of its share`() {
        let rate = Rate(perSecond: Limits.youngMessagesPerSecond, burst: Limits.youngMessagesBurst)
        var bucket: FairBucket?
        var now = Instant(nanoseconds: 0)
        // Two sources put up a card each a second, and a newcomer says a message each four.
        var (said, heard) = (0, 0)
        for second in 0..<120 {
            now = now + .seconds(1)
            for source in 1...2 as ClosedRange<UInt64> {
                _ = FairBucket.takeToken(
                    from: &bucket, 5, of: LinkSource(source), author: .numbered(source), at: rate, now: now)
            }
            guard second.isMultiple(of: 4) else { continue }
            said += 1
            if FairBucket.takeToken(from: &bucket, 1, of: LinkSource(9), author: .numbered(9), at: rate, now: now) {
                heard += 1
            }
        }
        #expect(heard == said)
    }
}
