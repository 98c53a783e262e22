import Chat
import Noise
import Testing
import Wire

@testable import ChatNode

/// Sealed messages, as effects of the part (Protocol.md sections 8 and 13).
final class SealedMailTests {
    private let bench = LinkBench()
    private var mail: SealedMail
    /// Ours, with the dm key of `mail`.
    private let certificate: Certificate
    private let links: [LinkInfo]
    private let bob = Runs(identitySeed: 20).id

    init() {
        mail = SealedMail(NodeConfiguration(), me: bench.me, randomness: .seeded(36), now: bench.start)
        var runs = Runs(identitySeed: 7_000)
        certificate = runs.certificate(epoch: 1, dm: mail.publicKey)
        mail.record(certificate)
        var links: [LinkInfo] = []
        for seed in 1...4 as ClosedRange<UInt64> { links.append(bench.link(to: seed)) }
        self.links = links
    }

    private func seal(over way: SealedMail.Way, mode: RoomMode, knowsBob: Bool = true) -> [Effect] {
        var author = Randomness.seeded(7_000)
        var session = UserSession(
            identity: Identity.generate(using: &author), room: Room.lobby.id, epoch: 1, nickname: "me")
        var runs = Runs(identitySeed: 20)
        var effects = Effects()
        mail.seal(
            session.sign(.dmAccept(target: bob), at: bench.wallClock), for: bob,
            to: knowsBob ? runs.certificate(epoch: 1) : nil, with: certificate, over: way, andBridge: false,
            bench.environment(mode), endpoint: { _ in [] }, &effects)
        return effects.list
    }

    /// The first bytes of a frame for a target, with a body that no key opens.
    private func frame(for target: PeerID) -> [UInt8] {
        SealedMessage.address(of: target) + [UInt8](repeating: 1, count: 200)
    }

    private func passOn(
        _ frame: [UInt8], from neighbour: PeerID?, mode: RoomMode, isRelay: Bool = false,
        paths: PresencePaths = PresencePaths()
    ) -> [ConnectionID] {
        var effects = Effects()
        mail.passOn(
            frame, from: neighbour, isRelay: isRelay, bench.environment(mode), links: links, paths: paths,
            &effects)
        return effects.list.deliveries.flatMap(\.links)
    }

    @Test func `in a crowd a message begins on the path and on one other link`() {
        var paths = PresencePaths()
        paths.record(bob, by: links[2].id)
        for _ in 0..<10 {
            let ids = seal(over: .path(links, paths), mode: .overlay).deliveries.flatMap(\.links)
            #expect(ids.count == 2 && ids.first == links[2].id && Set(ids).count == 2)
        }
    }

    @Test func `a message to a peer without a known certificate waits for the next try`() {
        let effects = seal(over: .path(links, PresencePaths()), mode: .overlay, knowsBob: false)
        #expect(effects.deliveries.isEmpty)
        #expect(mail.nextDeadline == bench.start + Limits.sealedRetry)
        let due = mail.takeDueRetries(now: bench.start + Limits.sealedRetry) { _ in true }
        #expect(due == [bob])
        mail.leaveCrowd()
        let later = mail.takeDueRetries(now: bench.start + .seconds(60)) { _ in true }
        #expect(later.isEmpty)
    }

    @Test func `over relays a message goes to all that know a path, and is not tried again`() {
        let ids = seal(over: .relays([links[0], links[3]]), mode: .mesh).deliveries.flatMap(\.links)
        #expect(ids == [links[0].id, links[3].id])
        let due = mail.takeDueRetries(now: bench.start + .seconds(60)) { _ in true }
        #expect(due.isEmpty)
    }

    @Test func `a relay sends to the target alone if that is linked, else to all but the sender`() throws {
        let (sender, target) = (try #require(links[0].peer), try #require(links[1].peer))
        #expect(passOn(frame(for: target), from: sender, mode: .mesh, isRelay: true) == [links[1].id])
        #expect(passOn(frame(for: bob), from: sender, mode: .mesh, isRelay: true) == links[1...].map(\.id))
        // Back to the sender, which has it.
        #expect(passOn(frame(for: sender), from: sender, mode: .mesh, isRelay: true).isEmpty)
    }

    @Test func `a node that is no relay passes on in a crowd, and what a bridge brought`() throws {
        let sender = try #require(links[0].peer)
        #expect(passOn(frame(for: bob), from: sender, mode: .mesh).isEmpty)
        var paths = PresencePaths()
        paths.record(bob, by: links[3].id)
        #expect(passOn(frame(for: bob), from: sender, mode: .overlay, paths: paths) == [links[3].id])
        #expect(passOn(frame(for: bob), from: nil, mode: .mesh) == links.map(\.id))
        #expect(mail.counters.map(\.value) == [0, 0, 0, 5, 1, 0])
    }

    @Test func `a message for another goes on once, and to no one from a node that is no relay`() {
        var bridge = BridgeGate(NodeConfiguration(), randomness: .seeded(8))
        func receive(_ frame: [UInt8], _ mode: RoomMode) -> (opened: [UInt8]?, count: Int) {
            var effects = Effects()
            let opened = mail.receive(
                frame, from: ChoiceTown.peer(9), isBridged: false, paths: PresencePaths(), &bridge,
                Roster(me: bench.me), bench.links.connections, bench.environment(mode), &effects)
            return (opened, effects.list.count { if case .deliver = $0 { true } else { false } })
        }
        let (first, second) = (frame(for: bob), frame(for: bob) + [2])
        let results = [receive(first, .overlay), receive(first, .overlay), receive(second, .mesh)]
        #expect(results.map(\.count) == [1, 0, 0] && results.allSatisfy { $0.opened == nil })
        let opened = receive(frame(for: bench.me), .overlay)
        #expect(opened.opened == nil && opened.count == 0)
    }
}
