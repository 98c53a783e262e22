package import Noise
package import Wire

/// Decides in overlay mode which candidates to link with, and which links end (Protocol.md section 13).
///
/// Six links are with drawn candidates, dialled by either side; of the others, which peers have chosen, ten are accepted. An
/// established link never makes room for a newcomer: a crowd of newcomers could cut a node off that way.
package struct LinkChoice: Sendable {
    package enum Decision: Hashable, Sendable {
        /// The own hello on the link has changed: another is due.
        case greet(PeerID)
        /// There is no room for the link: busy, then the end.
        case refuse(PeerID)
        /// The link is of no use: it ends politely.
        case end(PeerID)
        /// The link ends soon, unless one of its ends chooses it; or it stays after all.
        case setLeaving(PeerID, Bool)
    }

    /// When overlay mode began; nil outside of it.
    private var overlaySince: Instant?
    package private(set) var samplers: Samplers
    private var links = PackedTable<PeerID, ChosenLink>()
    private var dials = CandidateDials()
    private var insistence = Insistence()
    /// The user named peers.
    package var hasNamedPeers = false
    /// Payloads that were new, of all links.
    private var payloads = 0
    private var (nextRotation, nextLook) = (Instant(nanoseconds: 0), Instant(nanoseconds: 0))
    private var randomness: Randomness

    /// - Parameter randomness: one of its own, so that a mesh draws the same numbers as without an overlay.
    package init(randomness: Randomness) {
        self.randomness = randomness
        samplers = Samplers(using: &self.randomness)
    }

    /// Candidates to dial now; none outside of overlay mode.
    package var wanted: Set<String> { dials.instances }
    package var isOverlay: Bool { overlaySince != nil }
    package var chosenCount: Int { links.values.count { $0.isChosen } }

    /// The links to choose: more where attackers are many; and where discovery shows a small room, all sources, so that strangers
    /// that link with this node alone part it from no member. Not where the user named peers: then discovery shows a part.
    private var wantedCount: Int {
        let few = insistence.wasOverrun ? Limits.overrunLinks : Limits.chosenLinks
        let isSmall = !hasNamedPeers && samplers.sourceCount <= Limits.quietNodes
        return isSmall ? max(Limits.chosenLinks, samplers.sourceCount) : few
    }

    /// Links that peers have opened and chosen, and this node has not. Those that it has opened itself, in the mesh, take no room.
    package var acceptedCount: Int { links.values.count { $0.isAccepted && !$0.isInitiator } }

    /// The own hello on the link to a peer, without trees and the count of nodes.
    package func hello(for peer: PeerID) -> Hello {
        var hello = Hello(isOverlay: isOverlay)
        guard let link = links[peer] else { return hello }
        hello.isChosen = link.isChosen
        hello.isInsisting = link.isChosen && link.isInitiator && insistence.holds
        hello.isGuest = link.isGuest
        return hello
    }

    /// The next time at which `tick` may have an effect; nil outside of overlay mode.
    package var nextDeadline: Instant? {
        guard isOverlay else { return nil }
        let others = links.values.compactMap(\.endsAt) + [dials.nextEnd, samplers.nextDeadline].compactMap(\.self)
        return others.min().map { min($0, nextLook) } ?? nextLook
    }
}

/// Candidates.
extension LinkChoice {
    /// - Parameter weight: the number of nodes that a proven candidate stands for.
    package mutating func found(
        _ instance: String, at endpoint: Endpoint, _ proof: Samplers.Proof, weight: Int = 1, now: Instant
    ) {
        samplers.add(instance, at: endpoint, proof, weight: weight, now: now)
    }

    package mutating func moved(_ instance: String, to endpoints: [Endpoint], now: Instant) {
        samplers.move(instance, to: endpoints, now: now)
    }

    package mutating func lost(_ instance: String) {
        dials.end(instance)
        samplers.remove(instance)
    }

    package mutating func recordOwnAddress(_ endpoint: Endpoint, now: Instant) {
        samplers.recordOwnAddress(endpoint.address, now: now)
    }

    /// A dial of a candidate has failed at all of its addresses, or it can not be dialled.
    package mutating func failed(_ instance: String, now: Instant) {
        guard dials.end(instance) else { return }
        samplers.fail(instance, now: now, using: &randomness)
    }

    /// A wanted candidate turns out to be a peer with a link.
    package mutating func joined(_ instance: String, _ peer: PeerID, now: Instant) -> [Decision] {
        guard dials.end(instance), let link = links[peer] else { return [] }
        guard !link.isChosen else {
            // Another name of a peer that is chosen already.
            samplers.pause(instance, until: now + Limits.busyRest)
            return []
        }
        choose(peer, as: instance, now: now)
        guard link.isLeaving, let index = links.index(forKey: peer) else { return [.greet(peer)] }
        links.values[index].isLeaving = false
        return [.greet(peer), .setLeaving(peer, false)]
    }
}

/// Links.
extension LinkChoice {
    /// A link to a peer is up, or a further one has taken its place.
    ///
    /// - Parameters:
    ///   - instance: the candidate that was dialled; nil for a link that the peer has opened.
    ///   - isGuest: whether it was dialled for direct messages alone.
    package mutating func opened(
        _ peer: PeerID, at endpoint: Endpoint, dialled instance: String?, isInitiator: Bool, isGuest: Bool = false,
        now: Instant
    ) {
        var link =
            links[peer]
            ?? ChosenLink(endpoint: endpoint, isInitiator: isInitiator, since: now, sign: (now, payloads))
        link.isNew = links[peer] == nil && isOverlay && !isInitiator
        (link.isInitiator, link.isGuest, link.hello, link.isLeaving) = (isInitiator, isGuest, nil, false)
        links[peer] = link
        guard let instance, dials.end(instance) else { return }
        choose(peer, as: instance, now: now)
        links[peer]?.isAsked = true
    }

    private mutating func choose(_ peer: PeerID, as instance: String, now: Instant) {
        guard let index = links.index(forKey: peer) else { return }
        links.values[index].instance = instance
        links.values[index].endsAt = nil
        links.values[index].sign = (now, payloads)
        samplers.succeed(instance)
    }

    /// A peer's hello has come. A link that is no longer new, as one of the mesh whose first comes with the overlay, stays.
    package mutating func heard(_ hello: Hello, from peer: PeerID, now: Instant) -> [Decision] {
        guard let index = links.index(forKey: peer) else { return [] }
        let isNew = links.values[index].isNew && now < links.values[index].since + Limits.newLinkTime
        if links.values[index].isAsked { insistence.accepted(now: now) }
        links.values[index].isAsked = false
        links.values[index].hello = hello
        links.values[index].isNew = isNew && !hello.isChosen && !hello.isGuest
        if hello.isGuest { links.values[index].isGuest = true }
        let link = links.values[index]
        if isNew, !link.isNew, isOverlay, !hasSpace(for: link, now: now) { return [.refuse(peer)] }
        return []
    }

    /// Whether a link that its peer has opened may stay.
    private func hasSpace(for link: ChosenLink, now: Instant) -> Bool {
        guard !link.isChosen, let hello = link.hello, hello.isOverlay else { return true }
        if samplers.avoids(link.endpoint, now: now) { return false }
        // `GuestLinks` has the places of guests.
        if link.isGuest { return true }
        return hello.isInsisting || acceptedCount <= Limits.acceptedLinks
    }

    /// A peer has no room for the link: the next candidate is dialled, and after some refusals the node insists.
    package mutating func refused(by peer: PeerID, now: Instant) -> [Decision] {
        guard let index = links.index(forKey: peer) else { return [] }
        if let instance = links.values[index].instance {
            insistence.refused(now: now)
            samplers.pause(instance, until: now + Limits.busyRest)
            links.values[index].instance = nil
        }
        return [.end(peer)]
    }

    /// The last link to a peer has ended. A chosen peer is replaced.
    package mutating func closed(_ peer: PeerID, now: Instant) {
        guard let link = links.removeValue(forKey: peer), let instance = link.instance else { return }
        samplers.fail(instance, now: now, using: &randomness)
    }

    /// A peer has failed to give what it announced once too often: its link ends, and its source is avoided.
    package mutating func struckOut(_ peer: PeerID, now: Instant) -> [Decision] {
        guard let index = links.index(forKey: peer) else { return [] }
        let link = links.values[index]
        links.values[index].instance = nil
        samplers.avoid(link.endpoint, link.instance, now: now, using: &randomness)
        return [.end(peer)]
    }

    /// A peer has sent or announced a payload.
    package mutating func recordSign(of peer: PeerID, isNew: Bool, now: Instant) {
        if isNew { payloads += 1 }
        guard let index = links.index(forKey: peer) else { return }
        links.values[index].sign = (now, payloads)
    }
}

/// The mode and the passing of time.
extension LinkChoice {
    /// The room is a crowd from now on: links are chosen among those that there are, and new ones.
    @discardableResult package mutating func enterOverlay(now: Instant) -> [Decision] {
        overlaySince = now
        insistence = Insistence()
        dials.allowExchange(at: now + Limits.exchangeInterval)
        drawRotation(now)
        for index in links.indices { links.values[index].sign = (now, payloads) }
        return links.keys.map(Decision.greet)
    }

    @discardableResult package mutating func leaveOverlay() -> [Decision] {
        (overlaySince, dials) = (nil, CandidateDials())
        for index in links.indices { links.values[index].reset() }
        return links.keys.map(Decision.greet)
    }

    /// - Parameter isAlone: whether far fewer nodes are heard over links than by mDNS: neighbours that say nothing may be why.
    package mutating func tick(_ now: Instant, isAlone: Bool = false) -> [Decision] {
        guard let overlaySince else { return [] }
        nextLook = now + .seconds(10)
        samplers.wake(now: now)
        let isOverrun = links.values.areOverrun(inOverlaySince: overlaySince, now: now)
        if insistence.begins(isOverrun: isOverrun, now: now) { dialRefused(now) }
        for instance in dials.overdue(at: now) { failed(instance, now: now) }
        if nextRotation <= now {
            samplers.redrawOne(using: &randomness)
            drawRotation(now)
            dials.allowExchange(at: now)
        }
        let effects = replaceMute(now, isAlone: isAlone) + dropSurplus()
        fill(now)
        return effects + endLeftOvers(now) + announceLeaving()
    }

    /// Dials the drawn candidates again that have refused a link, now that the node insists.
    private mutating func dialRefused(_ now: Instant) {
        let refused = samplers.endPauses()
        let drawn = samplers.drawn(from: Limits.chosenLinks)
        for instance in refused.intersection(drawn) { dials.begin(instance, now: now) }
    }

    private mutating func drawRotation(_ now: Instant) {
        let jitter = Duration.random(in: .zero...Limits.rotationJitter * 2, using: &randomness)
        nextRotation = now + (Limits.rotationInterval - Limits.rotationJitter + jitter)
    }

    /// A chosen peer that stays silent while others send, or while the node is alone, is chosen no more.
    private mutating func replaceMute(_ now: Instant, isAlone: Bool) -> [Decision] {
        let mute = links.indices.filter { links.values[$0].isMute(payloads: payloads, isAlone: isAlone, now: now) }
        if isAlone, !mute.isEmpty { insistence.begin(now: now) }
        return mute.map { index in
            if let instance = links.values[index].instance { samplers.fail(instance, now: now, using: &randomness) }
            links.values[index].instance = nil
            return .greet(links.keys[index])
        }
    }

    /// Once a further link is up in place of one, that one is chosen no more: one whose candidate is drawn no more, the newest.
    private mutating func dropSurplus() -> [Decision] {
        let drawn = samplers.drawn(from: Limits.chosenLinks)
        var effects: [Decision] = []
        while chosenCount > wantedCount {
            func rank(_ index: Int) -> (Int, Int64) {
                let link = links.values[index]
                return (link.instance.map(drawn.contains) ?? false ? 0 : 1, link.since.nanoseconds)
            }
            let chosen = links.indices.filter { links.values[$0].isChosen }
            guard let worst = chosen.max(by: { rank($0) < rank($1) }) else { break }
            links.values[worst].instance = nil
            effects.append(.greet(links.keys[worst]))
        }
        return effects
    }

    /// As `CandidateDials.fill`.
    package mutating func fill(_ now: Instant) {
        dials.fill(to: wantedCount, besides: Set(links.values.compactMap(\.instance)), from: samplers, now: now)
    }

    /// Says which links end soon. Both ends do so for a link that neither has chosen, since only its initiator knows when it ends.
    private mutating func announceLeaving() -> [Decision] {
        links.indices.compactMap { index in
            let isLeaving = links.values[index].isLeftOver || links.values[index].endsAt != nil
            guard links.values[index].isLeaving != isLeaving else { return nil }
            links.values[index].isLeaving = isLeaving
            return .setLeaving(links.keys[index], isLeaving)
        }
    }

    /// Links that are of no use end after a while.
    private mutating func endLeftOvers(_ now: Instant) -> [Decision] {
        var effects: [Decision] = []
        let most = Limits.chosenLinks + Limits.acceptedLinks
        var surplus = links.values.count { !$0.isGuest && !$0.isUnneeded(isSurplus: false) } - most
        for index in links.indices {
            let link = links.values[index]
            guard link.isUnneeded(isSurplus: surplus > 0) else {
                links.values[index].endsAt = nil
                continue
            }
            if !link.isUnneeded(isSurplus: false) { surplus -= 1 }
            if let end = link.endsAt {
                if end <= now { effects.append(.end(links.keys[index])) }
            } else {
                let jitter = Duration.random(in: .zero...Limits.unchosenJitter, using: &randomness)
                links.values[index].endsAt = now + Limits.unchosenTime + (link.isInitiator ? jitter : .zero)
            }
        }
        return effects
    }
}

extension Limits {
    /// Links that a node chooses: as the active view of HyParView, but drawn. More send each payload over more links;
    /// with fewer, a node is cut off sooner when some of them are attackers or fail.
    package static let chosenLinks = 6
    /// Links that it chooses for `insistenceTime` once far more were opened to it than it accepts. More cost traffic
    /// under attack; with fewer, the share of attackers among its links is larger.
    static let overrunLinks = 8
    /// Between two new draws of a slot. A longer one lets an attacker that got a slot keep it; a shorter one makes
    /// trees grow anew more often.
    static let rotationInterval = Duration.seconds(600)
    /// How much less or more that is, at random. A smaller one lets nodes that started together rotate in step.
    static let rotationJitter = Duration.seconds(120)
    /// How long a link is kept that neither end has chosen. A longer one holds places that others need; a shorter one
    /// ends a link whose other end is about to choose it.
    static let unchosenTime = Duration.seconds(2)
    /// A random time on top at the initiator, at most, so that rarely both ends close. A longer one holds places.
    static let unchosenJitter = Duration.seconds(3)
}
