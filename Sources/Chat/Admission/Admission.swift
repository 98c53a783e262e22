internal import Noise
package import Wire

/// The only way from a payload frame to a `VerifiedPayload` (Protocol.md section 7).
///
/// Cheap checks come before expensive ones, and nothing is stored about an author before its signature or link proves
/// it.
package struct Admission: Sendable {
    private let room: RoomID
    private let me: PeerID
    private var seen = SeenMessages()
    private var peers: AuthorStates

    /// Payload frames that neighbours sent, admitted or not.
    package private(set) var received = 0
    /// Admitted payloads by kind: live, history and sealed ones.
    package private(set) var tally = PayloadTally()
    /// Refused payloads by reason.
    package private(set) var drops: [DropReason: Int] = [:]

    package var admitted: Int { tally.total }

    package init(room: RoomID, me: PeerID, rates: AdmissionRates = AdmissionRates()) {
        self.room = room
        self.me = me
        peers = AuthorStates(rates: rates)
    }

    /// Judges the body of a frame with a payload.
    ///
    /// - Parameter wallClock: with its correction.
    package mutating func judge(
        frame body: Span<UInt8>, from origin: Origin, now: Instant, wallClock: Timestamp
    ) -> AdmissionResult {
        do throws(DropReason) {
            let frame = origin.isDirect ? try PayloadFrame(direct: body) : try PayloadFrame(body)
            return judge(frame, from: origin, now: now, wallClock: wallClock)
        } catch {
            if origin.isUnsealed { received += 1 }
            return refuse(error, from: origin)
        }
    }

    /// Judges a payload frame.
    ///
    /// - Parameter wallClock: with its correction.
    package mutating func judge(
        _ frame: borrowing PayloadFrame, from origin: Origin, now: Instant, wallClock: Timestamp
    ) -> AdmissionResult {
        if origin.isUnsealed { received += 1 }
        do throws(DropReason) {
            switch origin {
            case .live(let link):
                return try judgeLive(frame, link, now, wallClock)
            case .history(let neighbour), .broker(let neighbour, isHistory: true):
                return try judgeHistory(frame, neighbour, wallClock)
            case .roster(let neighbour, let isKept, let bridge):
                return try judgeRoster(frame, neighbour, isKept: isKept, bridge, now, wallClock)
            case .direct(let link, let key):
                return try judgeDirect(frame, link, key, now)
            case .sealed(let neighbour, let certificate, let key):
                return try judgeSealed(frame, certificate, key, neighbour, now)
            case .broker(let bridge, isHistory: false):
                return try judgeLive(frame, LiveLink(to: bridge, epoch: 0, bridge: .trusted), now, wallClock)
            }
        } catch {
            return refuse(error, from: origin)
        }
    }

    /// Counts a payload frame that could not be parsed.
    package mutating func refuse(malformed reason: DropReason) {
        received += 1
        drop(reason)
    }

    private mutating func judgeLive(
        _ frame: borrowing PayloadFrame, _ link: LiveLink, _ now: Instant, _ wallClock: Timestamp
    ) throws(DropReason) -> AdmissionResult {
        try checkSource(frame, link.peer)
        try checkRoom(frame)
        if link.judgesAge, frame.hops == 0, frame.isHistory {
            try checkFresh(frame.header.timestamp, wallClock)
        }
        guard frame.hops > 0 || seen.contains(frame.id) else { return admit(try fromAuthor(frame, link, now)) }
        guard !isKnown(frame) else { throw .duplicate }
        guard !frame.isBridged || link.bridge != .unknown else { throw .unknownBridge }
        return accept(try relayed(frame, link, now, wallClock))
    }

    /// A payload for us that its author sends again is readmitted: the first receipt may be lost, so that the router has to
    /// acknowledge again.
    private mutating func judgeDirect(
        _ frame: borrowing PayloadFrame, _ link: LiveLink, _ key: DirectKey?, _ now: Instant
    ) throws(DropReason) -> AdmissionResult {
        try checkSource(frame, link.peer)
        try checkRoom(frame)
        let isNew = !isKnown(frame)
        guard isNew || frame.isSentAgain else { throw .duplicate }
        guard frame.header.epoch == link.epoch else { throw .wrongEpoch }
        // Behind the rates, as the link proves the author.
        let payload = try peers.admit(frame, now: now) { [me] () throws(DropReason) in
            try Admission.forUs(try VerifiedPayload(authenticating: frame, under: key), me)
        }
        guard isNew else {
            drop(.duplicate)
            return .repeated(payload)
        }
        return frame.isSentAgain ? accept(payload) : admit(payload)
    }

    private static func forUs(_ payload: VerifiedPayload, _ me: PeerID) throws(DropReason) -> VerifiedPayload {
        guard payload.payload.target == me else { throw .misdirected }
        return payload
    }

    /// Epoch, rate and earlier receipt do not matter: the payload was asked for because it is missing here. Payloads of
    /// our own identity from an earlier run are admitted too.
    private mutating func judgeHistory(
        _ frame: borrowing PayloadFrame, _ link: PeerID, _ wallClock: Timestamp
    ) throws(DropReason) -> AdmissionResult {
        try checkHops(frame, link)
        try checkRoom(frame)
        guard frame.isHistory else { throw .notHistory }
        let payload = try VerifiedPayload(checking: frame, via: link)
        try checkNotFromTheFuture(frame.header.timestamp, wallClock)
        try checkNotForgotten(frame.header.timestamp, wallClock)
        if !seen.contains(frame.id) { try peers.recordHistory(frame.header, frame.id) }
        return accept(payload)
    }

    /// The presence may be as old as a presence holds, and older than much that its author has said since. The rates do not matter:
    /// the caller counts what an answer brings.
    private mutating func judgeRoster(
        _ frame: borrowing PayloadFrame, _ link: PeerID, isKept: Bool, _ bridge: BridgeStanding, _ now: Instant,
        _ wallClock: Timestamp
    ) throws(DropReason) -> AdmissionResult {
        try checkSource(frame, link)
        try checkRoom(frame)
        guard frame.type == .presence else { throw .misdirected }
        guard !isKept else { throw .duplicate }
        guard !frame.isBridged || bridge != .unknown else { throw .unknownBridge }
        let payload = try VerifiedPayload(checking: frame, via: link)
        try checkNotFromTheFuture(frame.header.timestamp, wallClock)
        try checkNotLapsed(frame.header.timestamp, wallClock)
        try peers.recordRoster(frame.header, frame.id, now: now)
        return admit(payload)
    }

    private mutating func judgeSealed(
        _ frame: borrowing PayloadFrame, _ certificate: Certificate, _ key: DirectKey?, _ link: PeerID, _ now: Instant
    ) throws(DropReason) -> AdmissionResult {
        let isNew = !isKnown(frame)
        guard isNew || frame.isSentAgain else { throw .duplicate }
        let payload = try sealed(frame, certificate, key, link, now, isNew: isNew)
        if isNew { return accept(payload) }
        drop(.duplicate)
        return .repeated(payload)
    }

    /// Counts input that never became a payload.
    package mutating func drop(_ reason: DropReason) {
        drops[reason, default: 0] += 1
    }

    /// Checks the signature that `admit` left unchecked, before the payload is offered or relayed.
    ///
    /// - Returns: the payload as `.signed`, or the ban of the neighbour that it came from.
    package mutating func verifySignature(of payload: VerifiedPayload) -> AdmissionResult {
        do throws(DropReason) {
            return .admitted(try payload.checkingSignature())
        } catch {
            drop(error)
            return AdmissionResult(refusing: error)
        }
    }

    /// Notes the epoch in the verified session certificate of an identity.
    ///
    /// - Parameters:
    ///   - relay: the neighbour that passed the certificate on; nil if it is that of a link's own peer.
    ///   - isBridge: true if the relay is a bridge that may bring people of other networks.
    /// - Returns: false if the neighbour introduces too many new authors; nothing is noted then.
    package mutating func learn(
        epoch: UInt64, of author: PeerID, via relay: PeerID?, isBridge: Bool = false, now: Instant
    ) -> Bool {
        do throws(DropReason) {
            if let relay {
                try peers.takeNewAuthorToken(
                    author, from: relay, LinkSource(of: relay), as: isBridge ? .bridge : .mesh, now: now)
            }
        } catch {
            drop(error)
            return false
        }
        peers.learn(epoch: epoch, of: author, now: now)
        return true
    }

    /// A public payload from its author's own link.
    private mutating func fromAuthor(
        _ frame: borrowing PayloadFrame, _ link: LiveLink, _ now: Instant
    ) throws(DropReason) -> VerifiedPayload {
        guard frame.header.epoch == link.epoch else { throw .wrongEpoch }
        return try peers.admit(frame, now: now) { () throws(DropReason) in try Admission.proven(frame, link.peer) }
    }

    /// True if this payload was admitted before. Payloads that came in order over their author's link are known by
    /// their numbers.
    private func isKnown(_ frame: borrowing PayloadFrame) -> Bool {
        seen.contains(frame.id) || peers.knows(frame.header, frame.id)
    }

    private static func proven(_ frame: borrowing PayloadFrame, _ link: PeerID) throws(DropReason) -> VerifiedPayload {
        // Every node applies what it says, so that its signature is checked at once.
        if frame.type.isCheckedAtOnce { return try VerifiedPayload(checking: frame, via: link) }
        guard let payload = VerifiedPayload(try frame.signedPayload(), onLinkOf: link) else { throw .foreignAuthor }
        return payload
    }

    private mutating func relayed(
        _ frame: borrowing PayloadFrame, _ link: LiveLink, _ now: Instant, _ wallClock: Timestamp
    ) throws(DropReason) -> VerifiedPayload {
        let isTrusted = frame.isBridged && link.bridge == .trusted
        let kind: RelayLink = link.kind == .mesh && isTrusted ? .bridge : link.kind
        try peers.takeRelayToken(frame.type, of: frame.header.author, from: link.peer, link.source, as: kind, now: now)
        let payload = try VerifiedPayload(checking: frame, via: link.peer)
        switch link.kind {
        case .overlay, .smallRoom:
            try peers.takeYoungToken(frame.type, of: frame.header.author, from: link.source, now: now)
        case .mesh, .bridge: break
        }
        try recordRelayed(frame, now, wallClock)
        return payload
    }

    private mutating func sealed(
        _ frame: borrowing PayloadFrame, _ certificate: Certificate, _ key: DirectKey?, _ link: PeerID, _ now: Instant,
        isNew: Bool
    ) throws(DropReason) -> VerifiedPayload {
        guard frame.header.author != me else { throw .ownPayload }
        guard frame.header.author == certificate.identity else { throw .badCertificate }
        guard frame.header.epoch == certificate.epoch else { throw .wrongEpoch }
        guard frame.type.maySeal else { throw .misdirected }
        try checkRoom(frame)
        try peers.takeRelayToken(
            frame.type, of: frame.header.author, from: link, LinkSource(of: link), as: .mesh, now: now)
        // Before the rate of the author, which anyone that seals a message could use up otherwise.
        let payload = try Admission.forUs(try VerifiedPayload(authenticating: frame, under: key, sealedVia: link), me)
        if isNew { try checkWaiting(frame) }
        try peers.takeToken(frame.type, of: frame.header.author, now: now)
        if isNew { peers.record(frame.header, frame.id, now: now) }
        return payload
    }

    /// Checks the order of a payload that was sealed for us. Its time does not matter: it may have waited for us, and what its author
    /// sends until we acknowledge it may have waited for longer than the window of numbers reaches.
    private func checkWaiting(_ frame: borrowing PayloadFrame) throws(DropReason) {
        if frame.isSentAgain {
            try peers.checkUnordered(frame.header, frame.id)
        } else {
            try peers.checkOrder(frame.header, frame.id)
        }
    }

    /// Checks the rules for public payloads that did not come over their author's link: fresh, in order, and within the rates.
    private mutating func recordRelayed(
        _ frame: borrowing PayloadFrame, _ now: Instant, _ wallClock: Timestamp
    ) throws(DropReason) {
        if frame.isBridged, frame.type == .presence {
            // The author may be in a crowd.
            try checkNotFromTheFuture(frame.header.timestamp, wallClock)
            try checkNotLapsed(frame.header.timestamp, wallClock)
        } else {
            try checkFresh(frame.header.timestamp, wallClock)
        }
        try peers.checkOrder(frame.header, frame.id)
        try peers.takeToken(frame.type, of: frame.header.author, now: now)
        peers.record(frame.header, frame.id, now: now)
    }

    private func checkSource(_ frame: borrowing PayloadFrame, _ link: PeerID) throws(DropReason) {
        try checkHops(frame, link)
        guard frame.header.author != me else { throw .ownPayload }
    }

    private func checkHops(_ frame: borrowing PayloadFrame, _ link: PeerID) throws(DropReason) {
        guard frame.hops > 0 || frame.header.author == link else { throw .foreignAuthor }
        guard frame.hops > 0 || !frame.isBridged else { throw .malformed }
        guard frame.hops <= Limits.relayHops else { throw .tooManyHops }
    }

    private func checkRoom(_ frame: borrowing PayloadFrame) throws(DropReason) {
        guard frame.header.room == room else { throw .otherRoom }
    }

    private func checkFresh(_ time: Timestamp, _ wallClock: Timestamp) throws(DropReason) {
        try checkNotFromTheFuture(time, wallClock)
        guard isFresh(time, wallClock) else { throw .stale }
    }

    /// True for a time at which a public payload may be signed that comes unasked.
    package func isFresh(_ time: Timestamp, _ wallClock: Timestamp) -> Bool {
        time.distance(to: wallClock) <= Limits.freshnessMilliseconds
    }

    private func checkNotFromTheFuture(_ time: Timestamp, _ wallClock: Timestamp) throws(DropReason) {
        guard time <= wallClock || time.distance(to: wallClock) <= Limits.freshnessMilliseconds
        else { throw .fromTheFuture }
    }

    private func checkNotLapsed(_ time: Timestamp, _ wallClock: Timestamp) throws(DropReason) {
        let most = UInt64(Limits.presenceLifetime.nanoseconds / 1_000_000)
        guard time >= wallClock || time.distance(to: wallClock) <= most else { throw .stale }
    }

    private func checkNotForgotten(_ time: Timestamp, _ wallClock: Timestamp) throws(DropReason) {
        guard time >= wallClock || time.distance(to: wallClock) <= Limits.historyAgeMilliseconds
        else { throw .stale }
    }

    private mutating func accept(_ payload: VerifiedPayload) -> AdmissionResult {
        seen.insert(payload.payload.messageId)
        return admit(payload)
    }

    private mutating func admit(_ payload: VerifiedPayload) -> AdmissionResult {
        tally.add(payload.type)
        return .admitted(payload)
    }

    private mutating func refuse(_ reason: DropReason, from origin: Origin) -> AdmissionResult {
        drop(reason)
        // A neighbour cannot read what it passes on sealed.
        return origin.isUnsealed ? AdmissionResult(refusing: reason) : .dropped(reason)
    }
}

extension Limits {
    /// How far the signed time of a live payload may be from the own corrected clock, in milliseconds. A larger one
    /// lets old payloads in whose ids have left the tables; a smaller one refuses peers whose clocks are somewhat
    /// wrong.
    package static let freshnessMilliseconds: UInt64 = 300_000
    /// How long ago a message from history may have been signed, in milliseconds. A larger one keeps messages on the
    /// network that users think are gone; a smaller one makes a room lose its history over a holiday.
    static let historyAgeMilliseconds: UInt64 = 604_800_000
    /// Relays that a payload passes at most, which ends every loop. A larger one lets a faulty loop turn for longer;
    /// with a smaller one, payloads do not reach the end of a chain of bridged networks.
    package static let relayHops: UInt8 = 7
    /// How old a presence in a crowd may be, after which its author is gone. Must exceed `presenceInterval` and its
    /// jitter, or peers that are here disappear; a longer one lists peers that crashed for longer.
    package static let presenceLifetime = Duration.seconds(900)
}
