import Noise
import Testing
import Wire

@testable import Chat

/// Compares admission with a model that forgets nothing and applies the rules one by one, without rates.
struct AdmissionModelTests {
    @Test(arguments: 0..<12 as Range<UInt64>)
    func `admission agrees with a naive model`(seed: UInt64) {
        var randomness = Randomness.seeded(seed)
        var gate = Gate(rate: 0)
        var model = AdmissionModel()
        let authors = (1...3 as ClosedRange<UInt64>).map { Author(seed: $0).id }
        var earlier: [SignedPayload] = []
        var verdicts: Set<String> = []
        for _ in 0..<400 {
            let signed: SignedPayload
            if let again = earlier.randomElement(using: &randomness), Int.random(in: 0..<4, using: &randomness) == 0 {
                signed = again
            } else {
                signed = AdmissionModelTests.payload(at: gate.wallClock, &randomness)
                earlier.append(signed)
            }
            var event = AdmissionModel.Event(signed, authors, &randomness)
            event.wallClock = gate.wallClock
            let verdict = event.apply(to: &gate)
            #expect(verdict.text == model.verdict(on: event))
            verdicts.insert(verdict.text)
            if Int.random(in: 0..<10, using: &randomness) == 0 {
                gate.pass(.seconds(Int.random(in: 0..<120, using: &randomness)))
            }
        }
        #expect(verdicts.count >= 9)
    }

    private static func payload(at wallClock: Timestamp, _ randomness: inout Randomness) -> SignedPayload {
        var author = Author(seed: UInt64.random(in: 1...3, using: &randomness))
        author.epoch = Int.random(in: 0..<30, using: &randomness) == 0 ? 2 : 1
        if Int.random(in: 0..<20, using: &randomness) == 0 { author.room = Room(openNamed: "elsewhere").id }
        let skew = Int.random(in: 0..<4, using: &randomness) == 0 ? 600_000 : 200_000
        author.time = Timestamp(
            milliseconds: UInt64(
                Int(wallClock.milliseconds) + Int.random(in: -skew...skew, using: &randomness)))
        let bodies: [PayloadBody] = [
            .publicMessage(stage: .newcomer, nickname: "n", text: "\(randomness.next())"),
            .publicMessage(stage: .newcomer, nickname: "n", text: "\(randomness.next())"),
            .delete(target: .numbered(1)), .typing(target: nil, isOn: true),
            .delete(to: Gate.me, target: .numbered(1)), .typing(target: Gate.me, isOn: true),
            .directMessage(target: Gate.me, nickname: "n", text: "hi"), .dmAccept(target: Bodies.target),
        ]
        let body = bodies.randomElement(using: &randomness) ?? .delete(target: .numbered(1))
        return author.sign(body, sequence: UInt64.random(in: 1...400, using: &randomness))
    }
}

/// All rules of Protocol.md section 7 but the rates, in the plainest form.
struct AdmissionModel {
    struct Event {
        let signed: SignedPayload
        let hops: UInt8
        let link: PeerID
        let linkEpoch: UInt64
        let isForged: Bool
        let isHistory: Bool
        var wallClock = Author.wallClock

        init(_ signed: SignedPayload, _ authors: [PeerID], _ randomness: inout Randomness) {
            self.signed = signed
            let isDirect = signed.payload.isDirect
            let isRelayed = Bool.random(using: &randomness) && !isDirect
            hops = isRelayed ? UInt8.random(in: 1...8, using: &randomness) : 0
            let isOwnLink = !isRelayed && Int.random(in: 0..<8, using: &randomness) > 0
            link = isOwnLink ? signed.payload.author : authors.randomElement(using: &randomness) ?? Gate.me
            linkEpoch = Int.random(in: 0..<15, using: &randomness) == 0 ? 7 : signed.payload.epoch
            isForged = Int.random(in: 0..<10, using: &randomness) == 0
            isHistory = Int.random(in: 0..<6, using: &randomness) == 0 && !isDirect
        }

        func apply(to gate: inout Gate) -> AdmissionResult {
            var frame = signed.frameBody(hops: hops)
            if isForged { frame[frame.count - 1] ^= 1 }
            if signed.payload.isDirect {
                return gate.admit(frame, from: .direct(LiveLink(to: link, epoch: linkEpoch), Gate.key))
            }
            guard isHistory else { return gate.admit(frame, from: link, epoch: linkEpoch) }
            return gate.admit(frame, from: .history(from: link))
        }
    }

    /// The numbers for the gate alone, and those for the room, are apart.
    private struct Stream: Hashable {
        let author: PeerID
        let isDirect: Bool

        init(_ payload: P2PPayload) { (author, isDirect) = (payload.author, payload.isDirect) }
    }

    /// The ids of all payloads but those that came in order over their author's own link, which their numbers identify.
    private var ids: Set<MessageID> = []
    private var newestEpoch: [PeerID: UInt64] = [:]
    private var heard: [Stream: [UInt64: MessageID]] = [:]

    mutating func verdict(on event: Event) -> String {
        let payload = event.signed.payload
        let fault = payload.isDirect ? directFault(event) : event.isHistory ? historyFault(event) : liveFault(event)
        if let reason = fault {
            if reason == "repeated" { note(payload) }
            return reason
        }
        if event.isHistory || event.hops > 0 || isSentAgain(event) { ids.insert(payload.messageId) }
        if event.isHistory, newestEpoch[payload.author] != payload.epoch { return "admitted" }
        note(payload)
        return "admitted"
    }

    private mutating func note(_ payload: P2PPayload) {
        if payload.epoch > newestEpoch[payload.author, default: 0] {
            newestEpoch[payload.author] = payload.epoch
            heard = heard.filter { $0.key.author != payload.author }
        }
        let stream = Stream(payload)
        let isTooOld = (heard[stream]?.keys.max() ?? 0) >= payload.sequence + 256
        if !isTooOld, heard[stream]?[payload.sequence] == nil {
            heard[stream, default: [:]][payload.sequence] = payload.messageId
        }
    }

    private func isSentAgain(_ event: Event) -> Bool {
        event.signed.payload.isDirect
            && [.edit, .delete, .dmRequest, .directMessage].contains(event.signed.payload.type)
    }

    private func isKnown(_ payload: P2PPayload) -> Bool {
        if ids.contains(payload.messageId) { return true }
        guard payload.epoch == newestEpoch[payload.author], let heard = heard[Stream(payload)],
            let top = heard.keys.max()
        else { return false }
        return top < payload.sequence + 256 && heard[payload.sequence] == payload.messageId
    }

    private func liveFault(_ event: Event) -> String? {
        let payload = event.signed.payload
        let isOwnLink = event.hops == 0
        if isOwnLink, payload.author != event.link { return "close foreign_author" }
        if event.hops > 7 { return "dropped too_many_hops" }
        if payload.room != Author.room { return "dropped other_room" }
        let isInOrder = isOwnLink && !ids.contains(payload.messageId)
        if isInOrder, payload.epoch != event.linkEpoch { return "dropped wrong_epoch" }
        if isKnown(payload) { return "dropped duplicate" }
        if isOwnLink {
            if let fault = orderFault(payload) { return fault }
            let isChecked = payload.type == .edit || payload.type == .delete
            return event.isForged && isChecked ? "ban bad_signature" : nil
        }
        if event.isForged { return "ban bad_signature" }
        let age = Int(event.wallClock.milliseconds) - Int(payload.timestamp.milliseconds)
        if age < -300_000 { return "dropped from_the_future" }
        if age > 300_000 { return "dropped stale" }
        return orderFault(payload)
    }

    /// Of a payload for one peer.
    private func directFault(_ event: Event) -> String? {
        let payload = event.signed.payload
        if payload.author != event.link { return "close foreign_author" }
        if payload.room != Author.room { return "dropped other_room" }
        let isSentAgain = isSentAgain(event)
        if isKnown(payload), !isSentAgain { return "dropped duplicate" }
        if payload.epoch != event.linkEpoch { return "dropped wrong_epoch" }
        let fault = orderFault(payload)
        if let fault, !isSentAgain || fault == "dropped old_epoch" { return fault }
        if event.isForged { return "dropped false_mac" }
        if payload.target != Gate.me { return "dropped misdirected" }
        return isKnown(payload) ? "repeated" : nil
    }

    private func orderFault(_ payload: P2PPayload) -> String? {
        let newest = newestEpoch[payload.author, default: 0]
        if payload.epoch < newest { return "dropped old_epoch" }
        guard payload.epoch == newest, let top = heard[Stream(payload)]?.keys.max() else { return nil }
        if top >= 256, payload.sequence <= top - 256 { return "dropped sequence_too_old" }
        return heard[Stream(payload)]?[payload.sequence] != nil ? "dropped equivocation" : nil
    }

    private func historyFault(_ event: Event) -> String? {
        let payload = event.signed.payload
        if event.hops == 0, payload.author != event.link { return "close foreign_author" }
        if event.hops > 7 { return "dropped too_many_hops" }
        if payload.room != Author.room { return "dropped other_room" }
        if ![.publicMessage, .edit, .delete].contains(payload.type) { return "dropped not_history" }
        if event.isForged { return "ban bad_signature" }
        if payload.timestamp.milliseconds > event.wallClock.milliseconds + 300_000 { return "dropped from_the_future" }
        guard payload.epoch == newestEpoch[payload.author], !isKnown(payload) else { return nil }
        // A number too old for the window is admitted: the id is new.
        let top = heard[Stream(payload)]?.keys.max() ?? 0
        let isTold = payload.sequence > top || top - payload.sequence < 256
        return isTold && heard[Stream(payload)]?[payload.sequence] != nil ? "dropped equivocation" : nil
    }
}
