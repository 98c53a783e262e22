import Chat
import Noise
import Simulator
import Testing
import Wire

@testable import ChatNode

/// A member that lies about who is in a crowd (Threats.md).
struct CrowdAttackTests {
    private let simulation = Simulation(seed: 41)
    private let alice: SimulatedPeer
    private let rude: RudeMember

    init() throws {
        alice = simulation.node("alice")
        alice.with { node in node.setMode(.overlay) }
        rude = RudeMember(simulation: simulation, seed: 77)
        try #require(rude.enter(by: alice, in: simulation))
        simulation.advance(by: .seconds(1))
    }

    private var now: Timestamp { simulation.timeline.wallClock }

    private func send(_ frames: [UInt8]...) {
        simulation.timeline.perform { rude.send(together: frames) }
        simulation.advance(by: .seconds(2))
    }

    private func presence(_ state: PresenceState, of member: RudeMember, at time: Timestamp? = nil) -> SignedPayload {
        member.payload(.presence(Presence(state, stage: .newcomer, nickname: "member")), at: time ?? now)
    }

    /// As a part of an answer to alice's digests.
    private func answer(_ payload: SignedPayload) -> [UInt8] {
        [FrameType.roster.rawValue] + payload.frame(hops: 1).dropFirst()
    }

    private func isHere(_ member: RudeMember) -> Bool {
        let key = member.key
        return alice.with { node in node.chat.roster.isHere(key) }
    }

    /// The rate of frames that answers alice's question, which she asks her only neighbour.
    private func beAsked() {
        #expect(simulation.run(atMost: .seconds(5)) { !rude.frames(.roster).isEmpty })
    }

    @Test func `a forged presence bans the neighbour that tells it, live or in an answer`() {
        let member = RudeMember(simulation: simulation, seed: 500)
        beAsked()
        var frame = answer(presence(.here, of: member))
        frame[frame.count - 1] ^= 1
        send(frame)
        #expect(rude.isClosed && alice.counter("bans") == 1)
        #expect(!isHere(member))
    }

    @Test func `a replayed presence does not bring a peer back that left, nor keep one that is silent`() {
        let member = RudeMember(simulation: simulation, seed: 500)
        let here = presence(.here, of: member)
        send(here.frame(hops: 1), presence(.left, of: member).frame(hops: 1))
        #expect(!isHere(member))
        beAsked()
        send(here.frame(hops: 1), answer(here))
        #expect(!isHere(member))
        let silent = RudeMember(simulation: simulation, seed: 501)
        let once = presence(.here, of: silent)
        send(once.frame(hops: 1))
        #expect(isHere(silent))
        for _ in 0..<32 {
            simulation.advance(by: .seconds(28))
            send(answer(once), once.frame(hops: 1))
        }
        #expect(!isHere(silent))
    }

    @Test func `an old presence in an answer holds only as long as it would have`() {
        let member = RudeMember(simulation: simulation, seed: 500)
        beAsked()
        let old = Timestamp(milliseconds: now.milliseconds - 800_000)
        send(answer(presence(.here, of: member, at: old)))
        #expect(isHere(member))
        simulation.advance(by: .seconds(120))
        #expect(!isHere(member))
        let older = RudeMember(simulation: simulation, seed: 501)
        send(answer(presence(.here, of: older, at: Timestamp(milliseconds: now.milliseconds - 901_000))))
        #expect(!isHere(older))
    }

    @Test func `presences of an answer that was not asked for are refused`() {
        alice.with { node in node.parts.crowd.endExchange() }
        let member = RudeMember(simulation: simulation, seed: 500)
        send(answer(presence(.here, of: member)))
        #expect(!isHere(member) && alice.counter("rosters_refused") == 1 && !rude.isClosed)
        // Nor is anything but a presence taken from an answer.
        beAsked()
        alice.with { node in
            node.connections.active.forEach { node.parts.crowd.expectAnswer(on: $0.id, now: node.scheduler.now) }
        }
        send(answer(member.payload(.publicMessage(stage: .newcomer, nickname: "x", text: "old"), at: now)))
        #expect(alice.texts().isEmpty)
    }

    @Test func `a flood of new identities fills neither the roster nor the room`() {
        var random = Randomness.seeded(3)
        let members = (0..<400).map { RudeMember(simulation: simulation, seed: 1_000 + $0 + random.next() % 2) }
        for part in stride(from: 0, to: members.count, by: 40) {
            let frames = members[part..<part + 40].map { presence(.here, of: $0).frame(hops: 1) }
            simulation.timeline.perform { rude.send(together: frames) }
            simulation.advance(by: .milliseconds(50))
        }
        simulation.advance(by: .seconds(1))
        let here = alice.online
        #expect(Double(here) <= Limits.treeAuthorsBurst + Limits.treeAuthorsPerSecond * 4)
        #expect(alice.counter("dropped_new_author_rate") + alice.counter("dropped_relay_rate") > 0)
    }

    @Test func `a neighbour that lies about its roster gets few answers, and hides no peer`() {
        let bob = simulation.node("bob")
        bob.with { node in node.setMode(.overlay) }
        #expect(simulation.meet(alice, bob))
        let digests = (0..<100).map { number in
            RosterFrame(count: 9, digests: [UInt32](repeating: UInt32(number), count: RosterFrame.buckets)).bytes
        }
        simulation.timeline.perform { rude.send(together: digests) }
        simulation.advance(by: .seconds(3))
        let told = rude.frames(.roster).count { $0.count > 66 }
        #expect(Double(told) <= Limits.rosterAnswersBurst * 3)
        #expect(alice.counter("rosters_refused") >= 90)
        #expect(alice.knows(bob))
        #expect(!rude.isClosed)
    }

    /// The rude member answers with so many invented people, 200 at a time.
    private func answer(with people: InventedPeople) {
        for start in stride(from: 0, to: people.count, by: 200) {
            let frames = (start..<min(start + 200, people.count)).map { number in
                [FrameType.roster.rawValue] + people.presence(of: number, at: now).frame(hops: 1).dropFirst()
            }
            simulation.timeline.perform { rude.send(together: frames) }
            simulation.advance(by: .milliseconds(100))
        }
    }

    @Test func `an answer in a room of two brings no more people than a small room has, and keeps no newcomer out`() {
        beAsked()
        answer(with: InventedPeople(3_000, seed: 910))
        #expect(alice.online <= 65)
        let bob = simulation.node("bob")
        bob.with { node in node.setMode(.overlay) }
        #expect(simulation.meet(alice, bob))
        simulation.advance(by: .seconds(5))
        #expect(alice.knows(bob) && alice.counter("rosters_refused") > 2_000)
        // Bob has not more of them either.
        simulation.advance(by: .seconds(60))
        #expect(bob.online <= 66 && bob.knows(alice))
    }

    @Test func `one frame of digests draws 64 kB at most, and further ones the rest`() {
        let people = InventedPeople(1_000, seed: 911)
        let presences = (0..<people.count).map { people.presence(of: $0, at: now) }
        alice.with { node in
            for presence in presences {
                _ = node.parts.crowd.keep(presence, age: .zero, now: node.scheduler.now)
            }
        }
        let empty = RosterFrame(count: 0, digests: [UInt32](repeating: 0, count: RosterFrame.buckets)).bytes
        func answered() -> [[UInt8]] { rude.frames(.roster).filter { $0.count > 66 } }
        let before = alice.counter("bytes_sent")
        send(empty)
        #expect(!answered().isEmpty && alice.counter("bytes_sent") - before <= 70_000)
        for _ in 0..<5 { send(empty) }
        // Each goes on where the last one ended.
        #expect(Set(answered()).count == answered().count && answered().count > 800)
    }
}
