import Noise
import Testing
import Wire

@testable import Chat
@testable import ChatNode

/// Deliveries of the broker, and sealed messages for it.
final class BridgeDeliveryTests {
    private let parts = PartsBench(isBridge: true)
    private var author = PartsBench.session(of: 9)
    private let certificate = PartsBench.certificate(of: 9)

    private func presence() -> VerifiedPayload { author.signPresence(at: parts.bench.wallClock) }

    private func tick(after time: Duration) -> [Effect] {
        var effects = Effects()
        parts.bridge.tick(parts.bench.environment(.overlay, after: time), &effects)
        return effects.list
    }

    @Test func `in a crowd a presence of the broker waits, and is taken unless its author came by links`() throws {
        let result = parts.deliver(presence(), with: certificate, .overlay)
        #expect(result.payload == nil && parts.value(.bridgeReceived) == 1 && parts.value(.bridgeRefused) == 0)
        #expect(tick(after: Limits.bridgedPresenceHold - .nanoseconds(1)).count == 1)
        let steps = tick(after: Limits.bridgedPresenceHold)
        guard case .bridge(.receiveHeld(certificate.bytes, let frame))? = steps.first else {
            Issue.record("\(steps)")
            return
        }
        #expect(receive(held: frame)?.payload.author == author.id)
        _ = parts.router.linkOpened(author.id, at: parts.bench.environment(.overlay).moment)
        let again = BridgedContent(presence().signed, certificate: certificate)
        guard case .payload(_, let later) = again else { return }
        #expect(receive(held: later) == nil)
    }

    private func receive(held frame: [UInt8]) -> AdmittedPayload? {
        var effects = Effects()
        return parts.bridge.receive(
            held: frame, certificate.bytes, parts.own, &parts.intake, parts.router.roster,
            parts.bench.links.connections, parts.bench.environment(.overlay), &effects)
    }

    @Test func `a malformed or forged delivery is counted as refused, and one of our own is not taken`() {
        let malformed = BridgedContent.payload(certificate: certificate.bytes, frame: [1, 2, 3])
        _ = parts.deliver(.delivered(BridgeDelivery(malformed, tag: nil, isHistory: false)))
        #expect(parts.value(.bridgeRefused) == 1 && parts.value(.dropped(.malformed)) == 1)
        guard case .payload(var bytes, let frame) = BridgedContent(presence().signed, certificate: certificate) else {
            return
        }
        bytes[bytes.count - 1] ^= 1
        let forged = BridgedContent.payload(certificate: bytes, frame: frame)
        let result = parts.deliver(.delivered(BridgeDelivery(forged, tag: nil, isHistory: false)))
        #expect(result.payload == nil && parts.value(.bridgeRefused) == 2)
        let own = parts.router.signPresence(at: parts.bench.environment(.mesh).moment)
        let ours = parts.deliver(own, with: parts.bench.certificate)
        #expect(ours.payload == nil && parts.value(.bridgeRefused) == 2)
    }

    @Test func `a sealed message of the broker is opened behind its delivery`() {
        let body = [UInt8](repeating: 1, count: SealedMessage.bodySizes[0])
        let result = parts.deliver(.delivered(BridgeDelivery(.sealed(body), tag: nil, isHistory: false)))
        let bodies = result.effects.compactMap { effect -> [UInt8]? in
            if case .bridge(.receiveSealed(let body, from: parts.bridgePeer)) = effect { body } else { nil }
        }
        #expect(result.payload == nil && bodies == [body])
    }

    /// A sealed message for the author, of a sender.
    private func publish(from sender: PeerID) -> Bool {
        var effects = Effects()
        let body = SealedMessage.address(of: author.id) + [UInt8](repeating: 1, count: 200)
        return parts.bridge.publish(
            sealed: body, from: sender, parts.router.roster, parts.bench.environment(.mesh), &effects)
    }

    @Test func `a sealed message is published for a peer elsewhere alone, and of senders that consent`() {
        var sender = PartsBench.session(of: 1, bridging: Bridging(consents: true))
        #expect(!publish(from: sender.id) && parts.value(.bridgeWithoutConsent) == 0)
        if let admitted = parts.deliver(presence(), with: certificate).payload { parts.route(admitted.payload) }
        #expect(publish(from: sender.id))
        #expect(parts.value(.bridgeWithoutConsent) == 1 && parts.value(.bridgeWaiting) == 0)
        parts.route(sender.signPresence(at: parts.bench.wallClock))
        #expect(publish(from: sender.id))
        #expect(parts.value(.bridgeWithoutConsent) == 1 && parts.value(.bridgeWaiting) == 1)
    }
}
