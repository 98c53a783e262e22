import Noise
import Testing
import Wire

@testable import Chat
@testable import ChatNode

/// The actions of the parts behind the router, by the origin of an admitted payload.
final class FollowTests {
    private let parts = PartsBench(isBridge: true)
    private let neighbour = PartsBench.session(of: 1).id
    private var author: UserSession
    private let authorCertificate = PartsBench.certificate(of: 9)

    init() { author = PartsBench.session(of: 9, bridging: Bridging(consents: true)) }

    private var now: Timestamp { parts.bench.wallClock }

    private var live: Origin { .live(LiveLink(to: neighbour, epoch: 1)) }
    private var history: Origin { .history(from: neighbour) }
    private var roster: Origin { .roster(from: neighbour, isKept: false, bridge: .unknown) }
    private var sealed: Origin { .sealed(from: neighbour, by: authorCertificate, nil) }

    private func broker(isHistory: Bool) throws -> Origin {
        .broker(bridge: try #require(parts.bridgePeer), isHistory: isHistory)
    }

    private func message(age: Int64 = 0) -> VerifiedPayload {
        author.sign(.publicMessage(stage: .newcomer, nickname: "otter", text: "hello"), at: now.moved(by: -age))
    }

    /// A payload as it comes from another network.
    private func bridged(_ payload: VerifiedPayload) throws -> VerifiedPayload {
        let body = Array(payload.signed.frame(hops: 1, isBridged: true).dropFirst())
        return try VerifiedPayload(checking: PayloadFrame(body.span), via: neighbour)
    }

    private func admitted(_ payload: VerifiedPayload, _ origin: Origin, isOnLink: Bool = true) -> AdmittedPayload {
        AdmittedPayload(
            payload: payload, origin: origin, hops: 1, link: isOnLink ? parts.link : nil, isRepeated: false)
    }

    /// The trees hear of the link.
    private func openLink() {
        var effects = Effects()
        let up = LinkUp(
            link: parts.link, peer: neighbour, certificate: PartsBench.certificate(of: 1), instance: nil, isFirst: true,
            isActive: true, isGuest: false, isBetterRun: false)
        parts.spread.linkUp(up, parts.bench.links.connections, parts.bench.environment(.overlay), &effects)
    }

    private func spread(_ payload: VerifiedPayload, _ origin: Origin) -> Bool {
        var effects = Effects()
        parts.spread.follow(
            admitted(payload, origin), parts.router, parts.bench.links.connections, parts.bench.environment(.overlay),
            &effects)
        return parts.spread.recent[payload.id.prefix] != nil
    }

    @Test func `along trees go live messages, young history and messages of the broker`() throws {
        #expect(!spread(message(), live))
        _ = parts.spread.setMode(.overlay, now: parts.bench.start)
        openLink()
        #expect(spread(message(), live))
        #expect(spread(message(age: Int64(Limits.latestMilliseconds) - 1), history))
        #expect(!spread(message(age: Int64(Limits.latestMilliseconds)), history))
        #expect(spread(try bridged(message()), try broker(isHistory: false)))
        #expect(!spread(try bridged(message()), try broker(isHistory: true)))
        #expect(!spread(message(), sealed) && !spread(message(), roster))
        // Presences have a way of their own.
        #expect(!spread(author.signPresence(at: now), live))
    }

    private func follow(presence origin: Origin, _ mode: RoomMode, isOnLink: Bool = true) -> Bool {
        var effects = Effects()
        parts.crowd.follow(
            admitted(author.signPresence(at: now), origin, isOnLink: isOnLink), parts.bench.links.connections,
            &parts.router, &parts.intake, &parts.spread, &parts.finder, parts.bench.environment(mode), &effects)
        return effects.list.contains {
            if case .then(.recordPresence(of: author.id, isHere: true)) = $0 { true } else { false }
        }
    }

    @Test func `in a crowd a presence that is live or of a roster says who is here`() throws {
        #expect(!follow(presence: live, .mesh))
        #expect(!follow(presence: history, .overlay) && !follow(presence: sealed, .overlay))
        #expect(try !follow(presence: broker(isHistory: false), .overlay, isOnLink: false))
        #expect(!parts.crowd.isHere(author.id))
        #expect(follow(presence: live, .overlay) && follow(presence: roster, .overlay))
        #expect(parts.crowd.isHere(author.id))
    }

    private func follow(endpoint: [UInt8], of peer: VerifiedPayload, _ origin: Origin, _ mode: RoomMode) -> Bool {
        var (payload, effects) = (admitted(peer, origin), Effects())
        payload.endpoint = endpoint
        parts.mail.follow(
            payload, parts.bench.links, parts.router, allowsLoopback: false, parts.bench.environment(mode), &effects)
        return parts.mail.guestDeadline != nil
    }

    @Test func `the endpoint of an accepted peer is dialled if it came sealed, in a crowd`() throws {
        let request = PayloadBody.dmRequest(target: parts.bench.me, nickname: "otter", text: "hello")
        let payload = author.sign(request, at: now)
        let endpoint: [UInt8] = [10, 0, 0, 9, 16, 0]
        #expect(!follow(endpoint: endpoint, of: payload, sealed, .overlay))
        parts.router = MessageRouter(session: PartsBench.session(of: 7_000), accepted: [author.id])
        #expect(!follow(endpoint: endpoint, of: payload, sealed, .mesh))
        #expect(!follow(endpoint: endpoint, of: payload, live, .overlay))
        #expect(!follow(endpoint: [], of: payload, sealed, .overlay))
        #expect(follow(endpoint: endpoint, of: payload, sealed, .overlay))
    }

    private func follow(_ payload: VerifiedPayload, _ origin: Origin, isOnLink: Bool = true) -> [Effect] {
        var effects = Effects()
        parts.route(payload)
        parts.bridge.follow(
            admitted(payload, origin, isOnLink: isOnLink), parts.own, parts.spread, &parts.crowd, &parts.intake,
            &parts.router, parts.bench.environment(.mesh), &effects)
        return effects.list
    }

    private func paths(_ effects: [Effect]) -> [[PeerID]] {
        effects.compactMap { if case .recordPath(let peer, let neighbour) = $0 { [peer, neighbour] } else { nil } }
    }

    private var published: Int? { parts.value(.bridgeWaiting) }

    @Test func `messages of authors that consent are published, live and as young history`() throws {
        _ = follow(message(), live)
        #expect(published == 0 && parts.value(.bridgeWithoutConsent) == 1)
        parts.intake.keep(authorCertificate, parts.bench.environment(.mesh))
        _ = follow(author.signPresence(at: now), live)
        #expect(published == 1)
        _ = follow(message(), live)
        #expect(published == 2)
        let age = Limits.bridgeWaitingTime.nanoseconds / 1_000_000
        _ = follow(message(age: age), history)
        #expect(published == 2)
        _ = follow(message(age: age - 1), history)
        #expect(published == 3)
        _ = follow(message(), sealed)
        _ = follow(try bridged(message()), try broker(isHistory: true), isOnLink: false)
        #expect(published == 3 && parts.value(.bridgeWithoutConsent) == 1)
    }

    @Test func `a presence that came before its author's certificate is published with it`() {
        _ = follow(author.signPresence(at: now), live)
        #expect(published == 0)
        var effects = Effects()
        parts.bridge.certified(author.id, &effects)
        parts.bridge.certified(author.id, &effects)
        let presences = effects.list.compactMap { if case .bridge(.publish(let payload)) = $0 { payload } else { nil } }
        #expect(presences.map(\.author) == [author.id])
    }

    @Test func `a forged message on its author's link is not published, and ends the author's links`() {
        parts.intake.keep(authorCertificate, parts.bench.environment(.mesh))
        _ = follow(author.signPresence(at: now), live)
        var body = Array(message().signed.frame(hops: 0).dropFirst())
        body[body.count - 1] ^= 1
        let forged = (try? PayloadFrame(body.span).signedPayload()).flatMap {
            VerifiedPayload($0, onLinkOf: author.id)
        }
        guard let forged else {
            Issue.record("a payload with a false signature was not read")
            return
        }
        let effects = follow(forged, live)
        #expect(published == 1)
        #expect(effects.contains { if case .close(.all(of: author.id), .ban) = $0 { true } else { false } })
    }

    @Test func `a payload over a bridge makes a path, and one of the broker goes to all but its author`() throws {
        let relayed = try bridged(author.signPresence(at: now))
        #expect(paths(follow(relayed, live)) == [[author.id, neighbour]])
        let bridge = try #require(parts.bridgePeer)
        let presence = try bridged(author.signPresence(at: now))
        let effects = follow(presence, try broker(isHistory: false), isOnLink: false)
        #expect(paths(effects) == [[author.id, bridge]])
        let deliveries = effects.compactMap { effect -> PayloadDelivery? in
            if case .deliver(let delivery, to: .others(than: nil, notTo: author.id)) = effect { delivery } else { nil }
        }
        #expect(deliveries.map(\.frame) == [presence.frame(hops: 2)])
        var later = Effects()
        parts.bridge.introduceElsewhere(
            on: parts.link.id, parts.router.roster, parts.bench.environment(.mesh), &later)
        #expect(later.list.deliveries.map(\.delivery.frame) == [presence.frame(hops: 2)])
        #expect(follow(try bridged(message()), try broker(isHistory: true), isOnLink: false).isEmpty)
    }
}
