import Noise
import Testing
import Wire

@testable import Chat
@testable import ChatNode
@testable import Commands
@testable import Model

/// A user whose router gets payloads from the test.
private final class Member {
    let id: PeerID
    var router: MessageRouter
    private(set) var events: [NodeEvent] = []

    init(_ nickname: String, seed: UInt64, joinedAt: Timestamp) {
        var randomness = Randomness.seeded(seed)
        let identity = Identity.generate(using: &randomness)
        id = identity.id
        let session = UserSession(identity: identity, room: Room.lobby.id, epoch: 1, nickname: nickname)
        router = MessageRouter(session: session, joinedAt: joinedAt, sendsReadReceipts: true)
    }

    func note(_ events: [NodeEvent]) { self.events += events }

    func takeEvents() -> [NodeEvent] {
        defer { events = [] }
        return events
    }

    /// The snapshot for a face that comes now.
    func snapshot() -> RoomSnapshot {
        let overview = RoomOverview(
            .kitchen, isOpen: true, me: router.ownName, online: router.roster.online,
            conversations: router.summaries,
            requests: router.requests.map { (who: router.name(of: $0.from), text: $0.text) })
        let peers = router.roster.rows.map { PeerView($0, roundTrip: nil) }
        let histories = overview.conversations.map {
            (conversation: $0.conversation, messages: router.messages(in: Conversation($0.conversation)))
        }
        return RoomSnapshot(overview, ready: nil, status: OwnStatus(), peers: peers, histories: histories)
    }
}

/// Four users with random operations; the first one has a face, which keeps a model.
private final class WatchedRoom {
    let members: [Member]
    var randomness: Randomness
    var now = Instant(nanoseconds: 0)
    var wallClock = Timestamp(milliseconds: 1_800_000_000_000)
    private var isLinked = [true, true, true, true]
    /// Public payloads that the first user did not hear.
    private var missed: [VerifiedPayload] = []
    private var count = 0
    private(set) var model = ChatModel()

    init(seed: UInt64) {
        randomness = .seeded(seed)
        let joined = Timestamp(milliseconds: 1_800_000_000_000)
        members = ["anna", "berta", "clara", "doris"].enumerated().map {
            Member($0.element, seed: 100 * seed + UInt64($0.offset), joinedAt: joined)
        }
        reduce(.event(.ready(me: me.router.ownName, port: 1, room: "kitchen", discovery: .none)))
        for member in members { for other in members where other !== member { link(member, other) } }
        reduceEvents()
    }

    var me: Member { members[0] }
    var moment: Moment { Moment(instant: now, wallClock: wallClock) }

    private func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &randomness) }

    private func link(_ member: Member, _ other: Member) {
        member.note(member.router.linkOpened(other.id, at: moment))
        member.router.linkReady(other.id)
        deliver(other.router.signPresence(at: moment), to: member)
    }

    private func deliver(_ payload: VerifiedPayload, to member: Member) {
        guard let direct = overLink(payload) else { return }
        member.note(member.router.route(direct, at: moment))
    }

    /// A payload as it comes over its author's own link; nil if that can not be.
    private func overLink(_ payload: VerifiedPayload) -> VerifiedPayload? {
        guard payload.payload.isDirect else { return VerifiedPayload(payload.signed, onLinkOf: payload.author) }
        var randomness = Randomness.seeded(1)
        let identity = Identity.generate(using: &randomness)
        let pair = KeyPair.generate(using: &randomness, protection: .transient)
        let any = Certificate.issue(
            by: identity, noise: pair.publicKey, dm: pair.publicKey, epoch: 1, serial: 1)
        guard let key = DirectKey(of: pair, any, with: any) else { return nil }
        let body = Array(payload.signed.directFrame(under: key, from: any, to: any).dropFirst())
        return try? VerifiedPayload(authenticating: PayloadFrame(direct: body.span), under: key)
    }

    private func send(_ outgoing: [Outgoing], by index: Int) {
        for item in outgoing {
            for other in members.indices where other != index {
                let isHeard = isLinked[index] && isLinked[other]
                guard item.destination == .everyone || item.destination == .peer(members[other].id) else { continue }
                if isHeard { deliver(item.payload, to: members[other]) }
                if other == 0, !isHeard, item.payload.payload.isHistory { missed.append(item.payload) }
            }
        }
    }

    /// Delivers the payloads that routers send by themselves, until there are none.
    private func settle() {
        for _ in 0..<6 {
            for index in members.indices {
                let answers = members[index].router.takeAnswers(
                    to: members[index].router.peersOwedAnswers, at: moment)
                send(answers + members[index].router.takeBacklogs(at: moment), by: index)
            }
        }
    }

    private func attempt(_ index: Int, _ operation: (Member) throws(ChatError) -> Outcome) {
        guard let outcome = try? operation(members[index]) else { return }
        members[index].note(outcome.events)
        send(outcome.outgoing, by: index)
    }

    func step() {
        now = now + .milliseconds(1_500)
        wallClock = wallClock.moved(by: 1_500)
        let (index, other) = (number(0..<4), number(0..<4))
        if other != index { operate(index, members[other]) }
        settle()
        // A peer without a payload is announced later than it is listed.
        now = now + .milliseconds(1_500)
        for member in members { member.note(member.router.tick(now)) }
        reduceEvents()
    }

    private func operate(_ index: Int, _ other: Member) {
        let moment = moment
        count += 1
        let text = "text \(count)" + (number(0..<4) == 0 ? " for anna" : "")
        switch number(0..<24) {
        case 0..<8: attempt(index) { user throws(ChatError) in try user.router.send(text, to: .publicRoom, at: moment) }
        case 8..<11:
            attempt(index) { user throws(ChatError) in try user.router.send(text, to: .direct(other.id), at: moment) }
        case 11, 12: attempt(index) { user throws(ChatError) in try user.router.accept(other.id, at: moment) }
        case 13: attempt(index) { user throws(ChatError) in try user.router.decline(other.id) }
        case 14: attempt(index) { user throws(ChatError) in try user.router.leave(other.id, at: moment) }
        case 15: attempt(index) { user throws(ChatError) in try user.router.edit(nil, text, at: moment) }
        case 16: change(index, other, text)
        // No event tells the name of a peer that is not here.
        case 17 where isLinked[index]:
            attempt(index) { user throws(ChatError) in try user.router.rename("name\(index)x\(count)", at: moment) }
        case 18:
            attempt(index) { user throws(ChatError) in user.router.setAway(count % 2 == 0, reason: "tea", at: moment) }
        case 19: type(index, other)
        case 20: mark(other)
        case 21: leaveOrReturn(index)
        case _: open(other)
        }
    }

    private func change(_ index: Int, _ other: Member, _ text: String) {
        let place = number(0..<2) == 0 ? Conversation.publicRoom : .direct(other.id)
        let own = members[index].router.history(place).filter { $0.author == members[index].id }
        guard let id = own.randomElement(using: &randomness)?.id.hexadecimal else { return }
        // A router does not know which own message was the request, once that is deleted.
        guard members[index].router.directChats[other.id]?.state != .requestedByUs else { return }
        let moment = moment
        attempt(index) { user throws(ChatError) in
            try count % 3 == 0 ? user.router.edit(id, text, at: moment) : user.router.delete(id, at: moment)
        }
    }

    private func type(_ index: Int, _ other: Member) {
        let place = number(0..<2) == 0 ? Conversation.publicRoom : .direct(other.id)
        guard let outgoing = members[index].router.composeTyping(true, in: place, at: moment) else { return }
        send([outgoing], by: index)
    }

    /// The first user marks another one.
    private func mark(_ other: Member) {
        guard other !== me else { return }
        reduceEvents()
        let mark = number(0..<5)
        switch mark {
        case 0: me.note(me.router.setMuted(other.id, true))
        case 1: me.note(me.router.setMuted(other.id, false))
        case 2: me.note(me.router.setBlocked(other.id, true))
        case 3: me.note(me.router.setBlocked(other.id, false))
        case _: me.router.setVerified(other.id, true)
        }
        reduceEvents()
        // As the commands of these marks do.
        if mark < 2 || mark > 3 { reduce(.snapshot(me.snapshot())) }
    }

    /// Another user leaves the room, or comes back: what it said meanwhile is history for the first one.
    private func leaveOrReturn(_ index: Int) {
        guard index > 0 else { return }
        let member = members[index]
        isLinked[index].toggle()
        for other in members where other !== member {
            if isLinked[index] {
                link(member, other)
                link(other, member)
            } else {
                member.note(member.router.linkClosed(other.id, .goodbye, at: moment))
                other.note(other.router.linkClosed(member.id, .goodbye, at: moment))
            }
        }
        guard isLinked[index] else { return }
        for payload in missed.shuffled(using: &randomness) {
            guard let signed = VerifiedPayload(checking: payload.signed, via: member.id) else { continue }
            me.note(me.router.route(signed, at: moment, askedAt: wallClock))
        }
        missed = []
    }

    /// The first user opens a conversation.
    private func open(_ other: Member) {
        let place = other === me ? Conversation.publicRoom : .direct(other.id)
        me.note(me.router.open(place))
        reduceEvents()
        reduce(.opened(me.router.view(place), recent: me.router.messages(in: place)))
    }

    private func reduceEvents() {
        let events = me.takeEvents()
        for event in events { reduce(.event(event)) }
        // As the commands do that cause these.
        let isIncomplete = events.contains { event in
            if case .direct(.accepted, with: _) = event { return true }
            return if case .blocked(_, isOn: false) = event { true } else { false }
        }
        if isIncomplete { reduce(.snapshot(me.snapshot())) }
        for member in members.dropFirst() { _ = member.takeEvents() }
    }

    private func reduce(_ report: Report) {
        _ = model.reduce(RoomReport(.kitchen, report), at: moment)
    }

    /// The differences between the model and one that is made of a snapshot now.
    func differences() -> [String] {
        var (fresh, changes) = (ChatModel(), [ModelChange]())
        fresh.take([me.snapshot()], into: &changes)
        // The user's own stage has no event.
        if let one = model.rooms.first?.me {
            changes = fresh.reduce(RoomReport(.kitchen, .event(.renamed(one, was: one))), at: moment)
        }
        guard let one = model.rooms.first, let other = fresh.rooms.first else { return ["no room"] }
        return Agreed(one).told.differences(to: Agreed(other).told)
    }
}

@Suite struct ModelRouterTests {
    @Test(arguments: 1...16 as ClosedRange<UInt64>)
    func `the events of a router lead to the state of its snapshot, after each operation`(seed: UInt64) {
        let room = WatchedRoom(seed: seed)
        for step in 0..<250 {
            room.step()
            let found = room.differences()
            guard found.isEmpty else {
                return #expect(Bool(false), "step \(step) of seed \(seed): \(found.joined(separator: "\n"))")
            }
        }
    }
}
