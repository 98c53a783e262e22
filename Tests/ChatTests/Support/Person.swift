import Noise
import Wire

@testable import Chat

/// A user with a session and a router, whose clocks only the test moves.
final class Person {
    let id: PeerID
    var router: MessageRouter
    var now = Instant(nanoseconds: 0)
    var wallClock = Timestamp(milliseconds: 1_800_000_000_000)
    /// All events so far.
    private(set) var events: [NodeEvent] = []

    init(
        _ nickname: String, seed: UInt64, epoch: UInt64 = 1, accepted: [PeerID] = [], sendsReadReceipts: Bool = false
    ) {
        var randomness = Randomness.seeded(seed)
        let identity = Identity.generate(using: &randomness)
        id = identity.id
        let session = UserSession(identity: identity, room: Person.room, epoch: epoch, nickname: nickname)
        router = MessageRouter(session: session, accepted: accepted, sendsReadReceipts: sendsReadReceipts)
    }

    static let room = Room.lobby.id

    var session: UserSession {
        _read { yield router.session }
        _modify { yield &router.session }
    }

    var moment: Moment { Moment(instant: now, wallClock: wallClock) }

    func pass(_ duration: Duration) {
        now = now + duration
        wallClock = Timestamp(milliseconds: wallClock.milliseconds + UInt64(duration.nanoseconds / 1_000_000))
    }

    /// Signs any body, as a peer that breaks the rules could.
    func sign(_ body: PayloadBody) -> VerifiedPayload { session.sign(body, at: wallClock) }

    func signPublic(_ text: String) -> VerifiedPayload {
        sign(.publicMessage(stage: session.stage, nickname: session.nickname, text: text))
    }

    /// Receives a payload over its author's own link.
    @discardableResult
    func receive(_ payload: VerifiedPayload) -> [NodeEvent] {
        guard let direct = payload.overLink() else { return [] }
        return note(router.route(direct, at: moment))
    }

    /// Receives a payload that another peer relayed, or gave as history.
    @discardableResult
    func receive(_ payload: VerifiedPayload, via relay: Person, isHistory: Bool = false) -> [NodeEvent] {
        guard let signed = VerifiedPayload(checking: payload.signed, via: relay.id) else { return [] }
        return note(router.route(signed, at: moment, askedAt: isHistory ? wallClock : nil))
    }

    @discardableResult
    func note(_ events: [NodeEvent]) -> [NodeEvent] {
        self.events += events
        return events
    }

    func tick() -> [NodeEvent] { note(router.tick(now)) }

    func link(to other: Person) -> [NodeEvent] {
        defer { router.linkReady(other.id) }
        return note(router.linkOpened(other.id, at: moment))
    }

    func unlink(from other: Person, _ end: LinkEnd) -> [NodeEvent] {
        note(router.linkClosed(other.id, end, at: moment))
    }

    /// The name of another user as this one sees it.
    func name(of other: Person) -> PeerName { router.name(of: other.id) }

    var unread: Int { router.publicChat.unreadCount }
    var publicTexts: [String] { router.publicChat.messages.map(\.content) }
    func texts(with other: Person) -> [String] { router.history(.direct(other.id)).map(\.content) }
    func state(with other: Person) -> DirectChat.State { router.directChats[other.id]?.state ?? .none }

    /// Performs an operation, delivers its payloads to `others`, and their answers back.
    @discardableResult
    func does(
        to others: Person..., operation: (Person) throws(ChatError) -> Outcome
    ) throws(ChatError) -> [NodeEvent] {
        let outcome = try operation(self)
        note(outcome.events)
        deliver(replies(), to: others)
        deliver(outcome.outgoing, to: others)
        deliver(replies(), to: others)
        return outcome.events
    }

    private func deliver(_ outgoing: [Outgoing], to others: [Person]) {
        for item in outgoing {
            for other in others where item.destination == .everyone || item.destination == .peer(other.id) {
                other.receive(item.payload)
                other.deliver(other.replies(), to: [self])
            }
        }
    }

    /// The payloads that the router sends by itself.
    func replies() -> [Outgoing] {
        router.takeAnswers(to: router.peersOwedAnswers, at: moment) + router.takeBacklogs(at: moment)
    }

    /// Delivers the replies to `other`, and its answers back.
    func reply(to other: Person) { deliver(replies(), to: [other]) }
}

/// Operations in a test.
extension Person {
    func say(_ text: String) throws(ChatError) -> Outcome {
        try router.send(text, to: .publicRoom, at: moment)
    }

    func direct(_ text: String, to other: Person) throws(ChatError) -> Outcome {
        try router.send(text, to: .direct(other.id), at: moment)
    }

    func accept(_ other: Person) throws(ChatError) -> Outcome {
        try router.accept(other.id, at: moment)
    }

    func leave(_ other: Person) throws(ChatError) -> Outcome {
        try router.leave(other.id, at: moment)
    }

    func edit(_ text: String) throws(ChatError) -> Outcome { try edit(nil, text) }

    func edit(_ reference: String?, _ text: String) throws(ChatError) -> Outcome {
        try router.edit(reference, text, at: moment)
    }

    func delete(_ reference: String? = nil) throws(ChatError) -> Outcome {
        try router.delete(reference, at: moment)
    }
}

extension Person {
    /// The delivery state of each own direct message, oldest first.
    func deliveries(to other: Person) -> [DeliveryState?] {
        let messages = router.history(.direct(other.id)).filter { $0.author == id }
        return messages.map { router.delivery(of: $0, in: .direct(other.id)) }
    }
}

extension VerifiedPayload {
    /// This payload as it comes over its author's own link; nil if that can not be.
    func overLink() -> VerifiedPayload? {
        guard payload.isDirect else { return VerifiedPayload(signed, onLinkOf: payload.author) }
        let body = signed.frameBody()
        return try? VerifiedPayload(authenticating: PayloadFrame(direct: body.span), under: Gate.key)
    }
}

/// Makes `one` ask for a direct conversation, and `other` accept.
func befriend(_ one: Person, _ other: Person) throws {
    try one.does(to: other) { me throws(ChatError) in try me.direct("may I?", to: other) }
    try other.does(to: one) { me throws(ChatError) in try me.accept(one) }
}

/// Users that are linked to each other and know each other's nickname.
func room(_ nicknames: String..., tellingReading: Set<String> = []) -> [Person] {
    let people = nicknames.enumerated().map {
        Person($0.element, seed: UInt64($0.offset) + 1, sendsReadReceipts: tellingReading.contains($0.element))
    }
    for person in people {
        for other in people where other !== person {
            _ = person.link(to: other)
            person.receive(other.session.signPresence(at: other.wallClock))
        }
    }
    return people
}

/// The code of the error that an operation ends with; nil if it succeeds.
func code<Value>(_ operation: () throws(ChatError) -> Value) -> ChatError.Code? {
    do throws(ChatError) {
        _ = try operation()
        return nil
    } catch {
        return error.code
    }
}
