import Noise
import Simulator
import Wire

@testable import Chat
@testable import ChatNode

extension FuzzTarget {
    /// For all frames of members with valid keys, two honest nodes still receive each other's messages.
    static let node = FuzzTarget(name: "node", seeds: Siege.seeds) { input in
        var choices = Choices(input)
        let siege = Siege()
        for _ in 0..<32 where !choices.isOver { siege.step(&choices) }
        siege.settle()
    }
}

/// Two honest nodes, and three runs of two identities that break the protocol.
private final class Siege {
    private let simulation = Simulation(seed: 31)
    private let alice: SimulatedPeer
    private let bob: SimulatedPeer
    private let intruders: [Intruder]
    private var said: [SignedPayload] = []
    private var count = 0

    static func seeds() -> [[UInt8]] {
        let enter: [UInt8] = [0, 0, 0, 0, 1, 0, 0, 2, 1]
        let talk: [UInt8] = [1, 0, 0, 0, 9, 1, 1, 1, 1, 1, 6, 0, 9, 9, 10, 0]
        let certificates: [UInt8] = [2, 0, 0, 1, 2, 0, 2, 1, 2, 0, 3, 1, 1, 2, 2, 1]
        let history: [UInt8] = [4, 0, 1, 0, 9, 20, 4, 1, 0, 1, 9, 9, 5, 0, 1, 0, 5, 1, 0, 200]
        let stale: [UInt8] = [1, 0, 1, 1, 0, 6, 1, 1, 4, 0, 1, 0, 1, 1, 9, 20, 1, 0, 0, 0, 1, 1, 9, 20]
        let late: [UInt8] = [1, 1, 1, 1, 0, 0, 7, 1, 1, 4, 1, 1, 0, 2, 1, 9, 20, 1, 1, 0, 1, 1, 1, 9, 255]
        let wants: [UInt8] = [12, 0, 1, 0, 1, 1, 0, 0, 1, 1] + (0..<8).flatMap { _ in [4, 0, 0, 0, 90, 1] as [UInt8] }
        let haves: [UInt8] = (0..<22).flatMap { _ in [4, 0, 1, 0, 3, 1] as [UInt8] }
        let stories = Choices.stories(24, behind: [enter], bytes: 400)
        return stories + [
            enter + stale + late, enter + wants, enter + stale + haves, enter + [1, 0, 1, 1, 1, 1, 1, 0, 1, 1] + stale,
            enter + talk + certificates, enter + history + talk, enter + [7, 0, 5, 0, 3, 1, 0, 1, 6, 1, 0],
        ]
    }

    init() {
        let relay = { (configuration: inout NodeConfiguration) in
            configuration.relaysSealed = true
            configuration.sealsForRelays = true
            configuration.readReceipts = true
        }
        alice = simulation.node("alice", configure: relay)
        bob = simulation.node("bob", configure: relay)
        intruders = [(70, 1), (71, 1), (71, 2)].map { [simulation] seed, epoch in
            Intruder(simulation, seed: seed, epoch: epoch)
        }
        demand(simulation.meet(alice, bob), "two nodes do not meet")
    }

    func step(_ choices: inout Choices) {
        let operation = choices.below(13)
        let intruder = choices.pick(intruders)
        switch operation {
        case 0: simulation.timeline.perform { intruder.dial(choices.flag() ? alice : bob) }
        case 1: send(payload(&choices, by: intruder), by: intruder)
        case 2, 3: send(certificate(&choices, operation == 2 ? .certificate : .superseded), by: intruder)
        case 4: send(list(&choices), by: intruder)
        case 5: send(sealed(&choices, by: intruder), by: intruder)
        case 6: send([FrameType.goodbye.rawValue, choices.byte()], by: intruder)
        case 7:
            let record = choices.bytes(choices.below(64))
            simulation.timeline.perform { intruder.send(record: record) }
        case 8: simulation.timeline.perform { intruder.close() }
        case 9: simulation.advance(by: .milliseconds(choices.below(256) * 100))
        case 11: send([choices.byte()] + choices.bytes(choices.below(128)), by: intruder)
        case 12: alice.with { try? $0.perform(.send("text", to: .publicRoom)) }
        default: act(choices.below(4), toward: intruder.id)
        }
        simulation.advance(by: .milliseconds(50))
    }

    /// Checks that the two nodes receive each other's messages and keep their bounds.
    func settle() {
        simulation.advance(by: .seconds(10))
        for (one, other) in [(alice, bob), (bob, alice)] {
            demand(!one.hasStopped, "a node was made to stop")
            demand(one.isOnline(other), "a node lost the other by what strangers did")
            one.with { node in node.change(.open(.publicRoom)) }
            let text = "still here \(one.key.hexadecimal.prefix(6))"
            demand((try? one.say(text)) != nil, "a node can not speak any more")
            simulation.advance(by: .seconds(5))
            one.with { node in demand(node.statistics().allSatisfy { $0.value >= 0 }, "a counter is below zero") }
            demand(other.texts().contains(text), "a node does not hear the other any more")
            demand(one.texts().count <= Limits.messagesPerConversation, "too many messages")
        }
    }

    private func send(_ frame: [UInt8]?, by intruder: Intruder) {
        guard let frame, frame.count <= FramePacker.largestFrame else { return }
        simulation.timeline.perform { intruder.send(frame) }
    }

    private func act(_ operation: Int, toward peer: PeerID) {
        count += 1
        let text = "text \(count)"
        alice.with { node in
            switch operation {
            case 0: try? node.perform(.send(text, to: .direct(peer)))
            case 1: try? node.perform(.accept(peer))
            case 2: node.change(.open(.direct(peer)))
            default: try? node.perform(.decline(peer))
            }
        }
    }

    private func payload(_ choices: inout Choices, by intruder: Intruder) -> [UInt8]? {
        let isOld = choices.below(4) == 0 && !said.isEmpty
        let signed = isOld ? choices.pick(said) : intruder.sign(body(&choices), at: time(&choices))
        if !isOld { said.append(signed) }
        let hops = choices.below(3) == 0 ? choices.byte() : 0
        guard var frame = signed.payload.isDirect ? intruder.directFrame(signed) : signed.frame(hops: hops) else {
            return nil
        }
        if choices.below(8) == 0 { choices.mutate(&frame, times: 2) }
        return frame
    }

    /// The time of a signature: mostly now, else too long ago or too late.
    private func time(_ choices: inout Choices) -> Timestamp {
        let hour: Int64 = 3_600_000
        return simulation.timeline.wallClock.moved(by: choices.pick([0, 0, 0, 0, 0, 0, -hour, hour]))
    }

    private func body(_ choices: inout Choices) -> PayloadBody {
        let target = choices.flag() ? alice.key : choices.pick(intruders).id
        let message = said.isEmpty ? MessageID(signed: [1].span) : choices.pick(said).payload.messageId
        switch choices.below(15) {
        case 0: return .publicMessage(stage: .newcomer, nickname: "rude", text: "to all \(said.count)")
        case 1:
            let profile = Profile(about: choices.flag() ? "a line" : nil, rooms: choices.flag() ? ["kitchen"] : [])
            return .presence(
                Presence(
                    choices.pick(PresenceState.allCases), stage: .resident, nickname: "alice", profile: profile))
        case 2: return .typing(target: choices.flag() ? nil : target, isOn: choices.flag())
        case 3: return .edit(to: choices.flag() ? nil : target, target: message, text: "edited")
        case 4: return .delete(to: choices.flag() ? nil : target, target: message)
        case 5: return .dmRequest(target: target, nickname: "rude", text: "may I?")
        case 6: return .dmAccept(target: target)
        case 7: return .dmDecline(target: target)
        case 8: return .dmLeave(target: target)
        case 9: return .directMessage(target: target, nickname: "rude", text: "only for you")
        case 10: return .delivered(target: target, ids: [message])
        case 11:
            return .invitation(target: target, secret: [UInt8](repeating: choices.byte(), count: 32), room: "kitchen")
        case 13: return .reaction(to: choices.flag() ? nil : target, target: message, emojis: ["👍"])
        case 14:
            return .card(CardContent(title: "lost", text: "a hat", color: .teal), stage: .regular, nickname: "rude")
        default: return .read(target: target, ids: [message, message])
        }
    }

    private func certificate(_ choices: inout Choices, _ type: FrameType) -> [UInt8] {
        let intruder = choices.pick(intruders)
        let heard = intruders.compactMap(\.heard)
        var bytes = intruder.certify(epoch: UInt64(choices.below(4)), serial: UInt64(choices.below(4))).bytes
        if choices.below(4) == 0, let other = heard.first { bytes = other.bytes }
        if choices.below(8) == 0 { choices.mutate(&bytes, times: 2) }
        return [type.rawValue] + bytes
    }

    private func list(_ choices: inout Choices) -> [UInt8] {
        let type = choices.flag() ? FrameType.have : .want
        let known = said.map(\.payload.messageId.prefix)
        let ids = (0..<choices.below(Limits.offeredPayloads)).map {
            known.isEmpty ? UInt64($0) : known[$0 % known.count]
        }
        var frame = IDList.frame(type, ids)
        if choices.below(8) == 0 { choices.mutate(&frame, times: 2) }
        return frame
    }

    private func sealed(_ choices: inout Choices, by intruder: Intruder) -> [UInt8]? {
        guard let target = intruder.heard, choices.below(4) != 0 else {
            return [FrameType.sealed.rawValue]
                + [UInt8](repeating: choices.byte(), count: choices.pick(SealedMessage.bodySizes))
        }
        var randomness = Randomness.seeded(UInt64(choices.byte()))
        let signed = intruder.sign(body(&choices), at: simulation.timeline.wallClock)
        guard let direct = intruder.directFrame(signed), let key = intruder.key(with: target) else { return nil }
        let body = Array(direct.dropFirst())
        guard let payload = try? VerifiedPayload(authenticating: PayloadFrame(direct: body.span), under: key) else {
            return nil
        }
        return SealedMessage.frame(
            sealing: payload, under: key, with: intruder.certify(epoch: 1, serial: 1), to: target, using: &randomness)
    }
}
