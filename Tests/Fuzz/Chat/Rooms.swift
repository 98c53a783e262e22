import Noise
import Wire

@testable import Chat

extension FuzzTarget {
    /// For all payloads in all orders, every table keeps its bound and all events are consistent.
    static let router = FuzzTarget(name: "router", seeds: RoomRun.seeds) { input in
        var choices = Choices(input)
        let run = RoomRun(sendsReadReceipts: choices.flag())
        while !choices.isOver {
            run.step(&choices)
            run.check()
        }
    }
}

/// The admission and the chats of one node, with authors that sign arbitrary payloads and a user that enters arbitrary
/// commands.
final class RoomRun {
    static let room = Room.lobby.id
    /// The number of authors; more than the table of contact requests holds.
    private static let strangers = 40

    var router: MessageRouter
    var admission: Admission
    var now = Instant(nanoseconds: 0)
    var wallClock = Timestamp(milliseconds: 1_800_000_000_000)
    var linked: Set<PeerID> = []
    /// All signed payloads, own ones included, to be repeated, relayed, or sent as history.
    var said: [SignedPayload] = []
    var judged = 0
    private(set) var authors: [Int: Author] = [:]
    var model = ToldModel()

    init(sendsReadReceipts: Bool) {
        var randomness = Randomness.seeded(1_000)
        let identity = Identity.generate(using: &randomness)
        let me = identity.id
        let session = UserSession(identity: identity, room: RoomRun.room, epoch: 1, nickname: "me")
        router = MessageRouter(session: session, sendsReadReceipts: sendsReadReceipts)
        admission = Admission(room: RoomRun.room, me: me)
    }

    var session: UserSession {
        _read { yield router.session }
        _modify { yield &router.session }
    }

    var moment: Moment { Moment(instant: now, wallClock: wallClock) }

    static func seeds() -> [[UInt8]] {
        let link: [UInt8] = [8, 0, 8, 1, 8, 2]
        let talk: [UInt8] = [0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 2, 2, 3, 0]
        let befriend: [UInt8] = [0, 0, 5, 0, 0, 14, 0, 11, 1, 15, 0, 1, 104, 20, 0, 0, 9, 0]
        let ways: [UInt8] = [
            0, 0, 5, 0, 2, 3, 0, 0, 0, 8, 0, 0, 5, 0, 0, 0, 0, 0, 1, 8, 1, 0, 0, 0, 5, 0, 5, 0, 9, 0, 8, 2, 0, 0,
        ]
        return [
            [1] + link + ways + ways, [1] + link + talk, [0] + link + befriend + talk,
            [1] + link + befriend + talk + befriend + [10, 200],
        ]
    }

    /// An author; the first four are drawn far more often than the others.
    func author(_ choices: inout Choices) -> Author {
        let drawn = choices.below(256)
        let index = drawn < 192 ? drawn % 4 : drawn % RoomRun.strangers
        if let known = authors[index] { return known }
        let new = Author(seed: UInt64(index))
        authors[index] = new
        return new
    }

    func step(_ choices: inout Choices) {
        let operation = choices.below(24)
        switch operation {
        case 0..<8: arrive(&choices, operation)
        case 8: link(author(&choices))
        case 9: unlink(author(&choices), choices.pick([LinkEnd.goodbye, .lost]))
        case 10: pass(.milliseconds(choices.below(256) * 100))
        case 11..<20: act(&choices, operation)
        case 20: send()
        case 21: note(router.tick(now))
        case 22: learn(&choices)
        default: settle()
        }
    }

    func note(_ events: [NodeEvent]) {
        model.note(events, me: session.id)
    }

    func pass(_ time: Duration) {
        now = now + time
        wallClock = Timestamp(milliseconds: wallClock.milliseconds + UInt64(time.nanoseconds / 1_000_000))
    }

    private func link(_ author: Author) {
        guard linked.insert(author.id).inserted else { return }
        if admission.learn(epoch: author.epoch, of: author.id, via: nil, now: now) {
            note(router.linkOpened(author.id, at: moment))
            router.linkReady(author.id)
        }
    }

    private func unlink(_ author: Author, _ end: LinkEnd) {
        guard linked.remove(author.id) != nil else { return }
        note(router.linkClosed(author.id, end, at: moment))
    }

    private func learn(_ choices: inout Choices) {
        let (one, other) = (author(&choices), author(&choices))
        guard linked.contains(other.id) else { return }
        if !admission.learn(epoch: UInt64(choices.below(4)), of: one.id, via: other.id, now: now) { judged += 1 }
        router.pathNoted(to: one.id, via: other.id)
    }

    private func settle() {
        let me = session.id
        router.drainArchived { items in
            demand(items.allSatisfy { $0.neighbour != me }, "we are our own neighbour")
        }
        for id in router.publicChat.offer {
            switch router.verifySignature(of: id, with: &admission) {
            case .valid(let payload): demand(payload.signed.isSignatureValid, "a history payload is not signed")
            case .absent: demand(false, "an offered payload is not kept")
            case .forged: judged += 1
            }
        }
    }

    /// Signs the replies at the end of a turn and discards them.
    private func send() {
        let answers = router.takeAnswers(to: router.peersOwedAnswers, at: moment)
        for outgoing in answers + router.takeBacklogs(at: moment) {
            demand(outgoing.payload.payload.author == session.id, "a reply has another author")
            guard case .peer(let peer) = outgoing.destination else { continue }
            let isReachable = linked.contains(peer) || !router.paths[peer].isEmpty
            demand(isReachable && !router.roster.isBlocked(peer), "a reply to a peer out of reach")
        }
    }
}

/// An author that signs arbitrary payloads.
final class Author {
    let identity: Identity
    var epoch: UInt64 = 1
    var sequence: UInt64 = 0

    init(seed: UInt64) {
        var randomness = Randomness.seeded(seed)
        identity = Identity.generate(using: &randomness)
    }

    var id: PeerID { identity.id }
}
