import Chat
import Noise
import Testing
import Wire

@testable import ChatNode

@Suite struct LinkTests {
    @Test(arguments: [1, 2, 3, 7, 529, 530, 531, 4_000, 65_536])
    func `two ends become known to each other, however the bytes arrive`(chunk: Int) {
        let pair = LinkPair()
        pair.shuttle(chunk: chunk)
        #expect(pair.alice.established == pair.bob.context.certificate)
        #expect(pair.bob.established == pair.alice.context.certificate)
        #expect(pair.alice.failure == nil && pair.bob.failure == nil)
    }

    @Test func `each handshake message is one record of 530 bytes`() {
        let pair = LinkPair()
        let first = pair.alice.output()
        pair.bob.receive(first)
        let second = pair.bob.output()
        pair.alice.receive(second)
        let third = pair.alice.output()
        #expect([first.count, second.count, third.count] == [530, 530, 530])
    }

    @Test(arguments: [1, 7, 530, 65_536]) func `frames arrive whole and in order`(chunk: Int) {
        let pair = LinkPair()
        pair.shuttle()
        let sent = (0..<50).map { number in
            [FrameType.payload.rawValue] + [UInt8](repeating: UInt8(number), count: number * 80)
        }
        for frame in sent { pair.alice.link.enqueue(frame) }
        pair.shuttle(chunk: chunk)
        #expect(pair.bob.frames == sent)
    }

    @Test func `frames that wait together share a record`() {
        let pair = LinkPair()
        pair.shuttle()
        for _ in 0..<3 { pair.alice.link.enqueue([FrameType.payload.rawValue] + [UInt8](repeating: 1, count: 150)) }
        #expect(pair.alice.output().count == 530)
    }

    @Test(arguments: [0, 100, 400, 505, 506, 507, 508, 509, 600, 1_270, 4_000, 4_093])
    func `a frame of the size of the padding makes no larger record`(size: Int) {
        let frame = [FrameType.payload.rawValue] + [UInt8](repeating: 1, count: size)
        let (plain, filled) = (LinkPair(), LinkPair())
        for pair in [plain, filled] {
            pair.shuttle()
            #expect(pair.alice.padding == 0)
            pair.alice.link.enqueue(frame)
        }
        let padding = filled.alice.padding
        if padding > 0 { filled.alice.link.enqueue([UInt8](repeating: FrameType.news.rawValue, count: padding)) }
        #expect(filled.alice.padding == 0)
        #expect(filled.alice.output().count == plain.alice.output().count)
    }

    @Test func `a ping comes back and is measured`() {
        let pair = LinkPair()
        pair.shuttle()
        pair.alice.ping()
        let ping = pair.alice.output()
        pair.bob.receive(ping)
        pair.alice.now = pair.alice.now + .milliseconds(3)
        pair.alice.receive(pair.bob.output())
        #expect(pair.alice.roundTrip == .milliseconds(3))
    }

    @Test func `another room fails in the handshake`() {
        let pair = LinkPair(bobRoom: Room(openNamed: "attic"))
        pair.shuttle()
        #expect(pair.alice.established == nil && pair.bob.established == nil)
        #expect(pair.bob.failure == .handshakeFailed && pair.alice.failure == nil)
    }

    @Test func `a connection with oneself is refused`() {
        let context = LinkSide.context(seed: 5)
        let dialler = LinkSide(.initiator, context: context, seed: 6)
        let accepter = LinkSide(.responder, context: context, seed: 7)
        accepter.receive(dialler.output())
        dialler.receive(accepter.output())
        #expect(dialler.failure == .connectedToSelf)
        #expect(dialler.established == nil)
    }

    @Test func `another peer's certificate on a thief's link is refused`() {
        let victim = LinkSide.context(seed: 40).certificate
        var randomness = Randomness.seeded(41)
        let thief = LinkContext(
            certificate: victim, staticKey: StaticKey(KeyPair.generate(using: &randomness)), room: .lobby)
        let bob = LinkSide(.responder, context: LinkSide.context(seed: 42), seed: 43)
        let attacker = LinkSide(.initiator, context: thief, seed: 44)
        bob.receive(attacker.output())
        attacker.receive(bob.output())
        bob.receive(attacker.output())
        #expect(bob.failure == .badCertificate)
        #expect(bob.established == nil)
    }

    @Test(arguments: [0, 1, 511, 527, 529, 1_295, 4_113, 65_535])
    func `a length that no record has closes the link at once`(length: Int) {
        for isOpen in [false, true] {
            let pair = LinkPair()
            if isOpen { pair.shuttle() }
            pair.bob.receive([UInt8(length >> 8), UInt8(length & 255)])
            #expect(pair.bob.failure == .illegalLength)
            #expect(pair.bob.isDead)
        }
    }

    @Test(arguments: [1_296, 4_112])
    func `a length that only later records have closes a handshake at once, and no link`(length: Int) {
        let prefix = [UInt8(length >> 8), UInt8(length & 255)]
        let strangers = LinkPair()
        strangers.bob.receive(prefix)
        #expect(strangers.bob.failure == .illegalLength && strangers.bob.isDead)
        let peers = LinkPair()
        peers.shuttle()
        peers.bob.receive(prefix)
        #expect(peers.bob.failure == nil && !peers.bob.isDead)
    }

    @Test func `every flipped bit of a record ends the link`() {
        for bit in stride(from: 16, to: 530 * 8, by: 3) {
            let pair = LinkPair()
            pair.shuttle()
            pair.alice.link.enqueue([FrameType.payload.rawValue, 1, 2, 3])
            var record = pair.alice.output()
            record[bit / 8] ^= 1 << UInt8(bit % 8)
            pair.bob.receive(record)
            #expect(pair.bob.failure == .undecipherable)
            #expect(pair.bob.frames.isEmpty)
        }
    }

    @Test func `every flipped bit of a handshake message is refused`() {
        for message in 0..<3 {
            for bit in stride(from: 16, to: 530 * 8, by: 53) {
                let pair = LinkPair()
                var wire = pair.alice.output()
                if message == 0 { wire[bit / 8] ^= 1 << UInt8(bit % 8) }
                pair.bob.receive(wire)
                wire = pair.bob.output()
                if message == 1, !wire.isEmpty { wire[bit / 8] ^= 1 << UInt8(bit % 8) }
                pair.alice.receive(wire)
                wire = pair.alice.output()
                if message == 2, !wire.isEmpty { wire[bit / 8] ^= 1 << UInt8(bit % 8) }
                pair.bob.receive(wire)
                #expect(pair.bob.established == nil)
            }
        }
    }

    @Test func `a replayed, reordered, dropped or reflected record ends the link`() {
        enum Attack: CaseIterable { case replay, reorder, drop, reflect }
        for attack in Attack.allCases {
            let pair = LinkPair()
            pair.shuttle()
            pair.alice.link.enqueue([FrameType.payload.rawValue, 1])
            let first = pair.alice.output()
            pair.alice.link.enqueue([FrameType.payload.rawValue, 2])
            let second = pair.alice.output()
            let victim = attack == .reflect ? pair.alice : pair.bob
            switch attack {
            case .replay: for record in [first, first] { victim.receive(record) }
            case .reorder: for record in [second, first] { victim.receive(record) }
            case .drop: victim.receive(second)
            case .reflect: victim.receive(first)
            }
            #expect(victim.failure == .undecipherable)
        }
    }

    @Test func `a replayed handshake leads nowhere`() {
        let pair = LinkPair()
        let first = pair.alice.output()
        pair.bob.receive(first)
        pair.alice.receive(pair.bob.output())
        let third = pair.alice.output()
        pair.bob.receive(third)
        #expect(pair.bob.established != nil)
        let again = LinkSide(.responder, context: pair.bob.context, seed: 999)
        again.receive(first)
        again.receive(third)
        #expect(again.established == nil)
        #expect(again.failure == .handshakeFailed)
    }

    @Test func `the first message back as the second is refused`() {
        let alice = LinkSide(.initiator, context: LinkSide.context(seed: 1), seed: 2)
        let first = alice.output()
        alice.receive(first)
        #expect(alice.failure == .handshakeFailed)
    }

    @Test func `20,000 random messages are refused and nothing traps`() {
        var randomness = Randomness.seeded(4)
        for _ in 0..<10_000 {
            for role in [Link.Role.initiator, .responder] {
                let end = LinkSide(role, context: LinkPairContexts.bob, seed: randomness.next())
                end.receive([2, 16] + randomness.bytes(528))
                #expect(end.established == nil)
                if role == .initiator { #expect(end.failure == .handshakeFailed) }
            }
        }
    }

    @Test func `every prefix of an exchange leaves the link waiting, never open by mistake`() {
        for count in stride(from: 0, to: 530, by: 7) {
            let pair = LinkPair()
            pair.bob.receive(pair.alice.output())
            pair.alice.receive(Array(pair.bob.output().prefix(count)))
            #expect(pair.alice.established == nil)
            #expect(pair.alice.failure == nil)
        }
    }

    private func instant(_ offset: Duration) -> Instant { Instant(nanoseconds: 0) + offset }

    @Test func `a first message has 2 s, and a part of one does not lengthen them`() {
        let waiting = LinkSide(.responder, context: LinkPairContexts.bob, seed: 1)
        waiting.now = instant(.milliseconds(1_999))
        waiting.receive([2])
        waiting.tick()
        #expect(waiting.failure == nil)
        waiting.now = instant(.seconds(2))
        waiting.tick()
        #expect(waiting.failure == .handshakeTimeout)
    }

    @Test func `a handshake has 5 s`() {
        let half = LinkPair()
        half.bob.receive(half.alice.output())
        half.bob.now = instant(.milliseconds(4_999))
        half.bob.tick()
        #expect(half.bob.failure == nil)
        half.bob.now = instant(.seconds(5))
        half.bob.tick()
        #expect(half.bob.failure == .handshakeTimeout)
    }

    @Test func `a record that has begun has 5 s, however it trickles`() {
        let slow = LinkPair()
        slow.shuttle()
        slow.bob.receive([2, 16, 0])
        for second in 1...4 {
            slow.bob.now = instant(.seconds(second))
            slow.bob.receive([0])
            slow.bob.tick()
            #expect(slow.bob.failure == nil)
        }
        slow.bob.now = instant(.seconds(5))
        slow.bob.tick()
        #expect(slow.bob.failure == .recordTimeout)
    }

    @Test func `silence is answered by a ping after at most 60 s and ends the link after 75 s`() {
        let silent = LinkPair()
        silent.shuttle()
        silent.bob.now = instant(.seconds(61))
        silent.bob.tick()
        #expect(silent.bob.failure == nil)
        #expect(silent.bob.output().count == 530)
        silent.bob.now = instant(.seconds(75))
        silent.bob.tick()
        #expect(silent.bob.failure == .silent)
    }

    @Test func `a link in doubt is dead after 6 s, unless something comes`() {
        let pair = LinkPair()
        pair.shuttle()
        pair.bob.probe()
        let ping = pair.bob.output()
        #expect(ping.count == 530)
        pair.bob.now = instant(.seconds(5))
        pair.bob.tick()
        #expect(pair.bob.failure == nil)
        pair.alice.receive(ping)
        pair.bob.receive(pair.alice.output())
        pair.bob.now = instant(.seconds(12))
        pair.bob.tick()
        #expect(pair.bob.failure == nil)
        pair.bob.probe()
        pair.bob.now = instant(.seconds(18))
        pair.bob.tick()
        #expect(pair.bob.failure == .unanswered)
    }

    @Test func `a link keeps its keys for 256 records and works on after many`() {
        let pair = LinkPair()
        pair.shuttle()
        for number in 0..<1_000 {
            pair.alice.link.enqueue([FrameType.payload.rawValue, UInt8(number & 255)])
            pair.bob.receive(pair.alice.output())
        }
        #expect(pair.bob.frames.count == 1_000)
        #expect(pair.bob.failure == nil)
    }

    @Test func `a queue beyond 64 of the largest records ends the link`() {
        let pair = LinkPair()
        pair.shuttle()
        var failure: LinkError?
        for _ in 0..<70 where failure == nil {
            pair.alice.link.enqueue([UInt8](repeating: 9, count: 4_000))
            do throws(LinkError) { try pair.alice.link.flush { _ in 0 } } catch { failure = error }
        }
        #expect(failure == .tooSlow)
    }

    @Test func `a frame of an unknown type is counted and ignored`() {
        let pair = LinkPair()
        pair.shuttle()
        pair.alice.link.enqueue([200, 1, 2])
        pair.alice.link.enqueue([FrameType.payload.rawValue, 7])
        pair.shuttle()
        #expect(pair.bob.frames == [[FrameType.payload.rawValue, 7]])
        #expect(pair.bob.unknownFrames == 1)
    }
}

/// Made once: a signature costs more than most tests here.
enum LinkPairContexts {
    static var bob: LinkContext { LinkSide.context(seed: 2) }
}
