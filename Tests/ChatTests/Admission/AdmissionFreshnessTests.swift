import Noise
import Testing
import Wire

@testable import Chat

struct AdmissionFreshnessTests {
    let relay = PeerID.numbered(500)

    @Test(
        arguments: [
            (-300_001, "dropped stale"), (-300_000, "admitted"), (0, "admitted"), (300_000, "admitted"),
            (300_001, "dropped from_the_future"),
        ] as [(Int, String)])
    func `a relayed payload may be 300 seconds from now`(offset: Int, verdict: String) {
        var alice = Author(seed: 1)
        var gate = Gate()
        alice.time = Timestamp(milliseconds: UInt64(Int(Author.wallClock.milliseconds) + offset))
        #expect(gate.admit(alice.say("when?"), hops: 1, from: relay).text == verdict)
        #expect(gate.admission.drops.isEmpty == (verdict == "admitted"))
    }

    @Test(arguments: [(-400_000, "dropped stale"), (400_000, "dropped from_the_future"), (-299_000, "admitted")])
    func `in overlay mode a message on its author's own link is judged by its time, as the next node judges it`(
        offset: Int, verdict: String
    ) {
        var alice = Author(seed: 1)
        var gate = Gate()
        alice.time = Timestamp(milliseconds: UInt64(Int(Author.wallClock.milliseconds) + offset))
        let signed = alice.say("when?")
        func admit(judgesAge: Bool) -> String {
            gate.admit(
                signed.frameBody(), from: .live(LiveLink(to: alice.id, epoch: 1, judgesAge: judgesAge))
            ).text
        }
        #expect(admit(judgesAge: true) == verdict)
        if verdict != "admitted" { #expect(admit(judgesAge: false) == "admitted") }
        let edit = alice.sign(.edit(target: signed.payload.messageId, text: "then"))
        let link = LiveLink(to: alice.id, epoch: 1, judgesAge: true)
        #expect(gate.admit(edit.frameBody(), from: .live(link)).text == verdict)
        // One of a direct message waits for its receiver.
        let direct = alice.sign(.edit(to: Gate.me, target: signed.payload.messageId, text: "then"))
        #expect(gate.admit(direct.frameBody(), from: .direct(link, Gate.key)).text == "admitted")
    }

    @Test(arguments: [0, 1, .max] as [UInt64])
    func `a time at either end of the range is refused when relayed and admitted when direct`(time: UInt64) {
        var alice = Author(seed: 1)
        var gate = Gate()
        alice.time = Timestamp(milliseconds: time)
        #expect(gate.admit(alice.say("when?"), hops: 1, from: relay).text.hasPrefix("dropped"))
        #expect(gate.admit(alice.say("now")).text == "admitted")
    }

    @Test func `history is admitted from the last seven days and not from the future`() {
        var alice = Author(seed: 1)
        var gate = Gate()
        alice.time = Timestamp(milliseconds: Author.wallClock.milliseconds - 7 * 86_400_000)
        #expect(gate.admitHistory(alice.say("old"), from: relay).text == "admitted")
        alice.time = Timestamp(milliseconds: Author.wallClock.milliseconds - 7 * 86_400_000 - 1)
        #expect(gate.admitHistory(alice.say("older"), from: relay).text == "dropped stale")
        for time: UInt64 in [0, .max] {
            alice.time = Timestamp(milliseconds: time)
            #expect(gate.admitHistory(alice.say("absurd"), from: relay).admitted == nil)
        }
        alice.time = Timestamp(milliseconds: Author.wallClock.milliseconds + 300_000)
        #expect(gate.admitHistory(alice.say("almost"), from: relay).text == "admitted")
        alice.time = Timestamp(milliseconds: Author.wallClock.milliseconds + 300_001)
        #expect(gate.admitHistory(alice.say("not yet"), from: relay).text == "dropped from_the_future")
    }

    @Test func `history needs a valid signature, on its author's own link too`() throws {
        var alice = Author(seed: 1)
        var gate = Gate()
        let signed = alice.say("then")
        var forged = signed.frameBody()
        forged[forged.count - 1] ^= 1
        let verdict = gate.admit(forged, from: .history(from: alice.id))
        #expect(verdict.text == "ban bad_signature")
        let payload = try #require(gate.admitHistory(signed, from: alice.id).admitted)
        #expect(payload.provenance == .signed(via: alice.id))
    }

    @Test func `history may come again, and may be from an earlier run of our own`() {
        var alice = Author(seed: 1)
        var gate = Gate()
        let live = alice.say("once")
        #expect(gate.admit(live).text == "admitted")
        #expect(gate.admitHistory(live, from: relay).text == "admitted")
        #expect(gate.admitHistory(live, from: relay).text == "admitted")
        let other = alice.sign(.publicMessage(stage: .newcomer, nickname: "a", text: "else"), sequence: 1)
        #expect(gate.admitHistory(other, from: relay).text == "dropped equivocation")
    }

    @Test func `history is held to the rules for hops and rooms`() {
        var alice = Author(seed: 1)
        var gate = Gate()
        let signed = alice.say("then")
        func verdict(hops: UInt8, from link: PeerID) -> String {
            gate.admit(signed.frameBody(hops: hops), from: .history(from: link)).text
        }
        #expect(verdict(hops: 8, from: relay) == "dropped too_many_hops")
        #expect(verdict(hops: 0, from: relay) == "close foreign_author")
        #expect(verdict(hops: 7, from: relay) == "admitted")
        #expect(verdict(hops: 0, from: alice.id) == "admitted")
    }

    @Test(arguments: Bodies.all)
    func `history contains public messages and their changes alone`(body: PayloadBody) {
        var alice = Author(seed: 1)
        var gate = Gate()
        let isHistory = [.publicMessage, .edit, .delete, .reaction, .card].contains(body.type)
        let verdict = gate.admit(alice.relayed(body), from: .history(from: relay)).text
        let expected = isHistory ? "admitted" : "dropped not_history"
        #expect(verdict == (body.target == nil ? expected : "dropped misdirected"))
    }

    @Test func `history of an earlier run is admitted, live payloads of it are dropped`() {
        var alice = Author(seed: 1)
        var gate = Gate()
        let old = alice.say("from before")
        let older = alice.say("also from before")
        alice.epoch = 2
        alice.sequence = 0
        #expect(gate.admit(alice.say("back again")).text == "admitted")
        #expect(gate.admit(old, hops: 1, from: relay).text == "dropped old_epoch")
        #expect(gate.admit(older).text == "dropped old_epoch")
        #expect(gate.admitHistory(old, from: relay).text == "admitted")
        #expect(gate.admit(alice.say("and on")).text == "admitted")
    }

    @Test func `a direct payload has the epoch of its link's certificate`() {
        var alice = Author(seed: 1)
        var gate = Gate()
        #expect(gate.admit(alice.say("x").frameBody(), from: alice.id, epoch: 2).text == "dropped wrong_epoch")
        #expect(gate.admit(alice.say("x").frameBody(), from: alice.id, epoch: 1).text == "admitted")
    }

    @Test func `a certificate's epoch makes earlier runs old`() {
        var alice = Author(seed: 1)
        var gate = Gate()
        let isNews = gate.learn(epoch: 2, of: alice.id, via: nil)
        #expect(isNews)
        #expect(gate.admit(alice.say("x"), hops: 1, from: relay).text == "dropped old_epoch")
        _ = gate.learn(epoch: 1, of: alice.id, via: nil)
        #expect(gate.admit(alice.say("x"), hops: 1, from: relay).text == "dropped old_epoch")
        alice.epoch = 2
        #expect(gate.admit(alice.say("x"), hops: 1, from: relay).text == "admitted")
    }

    @Test func `a newer run counts its numbers from the start`() {
        var alice = Author(seed: 1)
        var gate = Gate()
        #expect(gate.admit(alice.say("one")).text == "admitted")
        alice.epoch = 9
        alice.sequence = 0
        #expect(gate.admit(alice.say("one again"), hops: 1, from: relay).text == "admitted")
    }

    @Test func `an unproven payload of a newer run changes nothing`() {
        var alice = Author(seed: 1)
        var gate = Gate()
        alice.epoch = 9
        var forged = alice.say("x").frameBody(hops: 1)
        forged[forged.count - 1] ^= 1
        #expect(gate.admit(forged, from: relay).text == "ban bad_signature")
        alice.epoch = 1
        #expect(gate.admit(alice.say("still here")).text == "admitted")
    }
}
