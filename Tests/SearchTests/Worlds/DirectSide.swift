import Noise
import Wire

@testable import Chat

/// One user of a `DirectWorld`: a router, what is under way to it, and what an observer remembers.
final class DirectSide {
    /// A message of this user, with the outcome that was reported.
    struct Own {
        let id: MessageID
        var status: DeliveryState
    }

    let number: Int
    let id: PeerID
    private(set) var router: MessageRouter
    /// The payloads that are under way to this user.
    var inbox: [VerifiedPayload] = []
    private(set) var written: [Own] = []
    /// The user has agreed since the last departure: accepted, or written too.
    private(set) var hasAgreed = false
    /// The messages of the peer that this user has seen in the conversation.
    private var seen: Set<MessageID> = []
    private(set) var breach: Breach?
    private var outgoing: [VerifiedPayload] = []
    private static let moment = Moment(
        instant: Instant(nanoseconds: 0), wallClock: Timestamp(milliseconds: 1_800_000_000_000))
    private static let identities = PairOfKeys()

    init(_ number: Int) {
        self.number = number
        var randomness = Randomness.seeded(UInt64(number) + 1)
        let identity = Identity.generate(using: &randomness)
        id = identity.id
        router = MessageRouter(
            session: UserSession(identity: identity, room: Room.lobby.id, epoch: 1, nickname: "n\(number)"))
    }

    private init(_ other: DirectSide) {
        (number, id) = (other.number, other.id)
        router = other.router.copy()
        (inbox, written, hasAgreed, seen) = (other.inbox, other.written, other.hasAgreed, other.seen)
    }

    func copy() -> DirectSide { DirectSide(self) }

    func state(with other: DirectSide) -> DirectChat.State { router.directChats[other.id]?.state ?? .none }

    func request(of other: DirectSide) -> Message? { router.directChats[other.id]?.request }

    func hasTaken(_ message: MessageID, of other: DirectSide) -> Bool {
        router.directChats[other.id]?.hasTaken(message) ?? false
    }
}

/// The operations of the user.
extension DirectSide {
    func write(to other: DirectSide) {
        perform(with: other) { router throws(ChatError) in
            try router.send("text \(written.count)", to: .direct(other.id), at: DirectSide.moment)
        }
    }

    func accept(_ other: DirectSide) {
        hasAgreed = true
        acceptWithoutUser(other)
    }

    /// The step of a mutant: the program agrees.
    func acceptWithoutUser(_ other: DirectSide) {
        guard request(of: other) != nil else { return }
        perform(with: other) { router throws(ChatError) in try router.accept(other.id, at: DirectSide.moment) }
    }

    func decline(_ other: DirectSide) {
        perform(with: other) { router throws(ChatError) in try router.decline(other.id) }
    }

    func leave(_ other: DirectSide) {
        hasAgreed = false
        perform(with: other) { router throws(ChatError) in try router.leave(other.id, at: DirectSide.moment) }
    }

    /// As a node does, sends the answers that wait before what the user sends.
    private func perform(
        with other: DirectSide, _ operation: (inout MessageRouter) throws(ChatError) -> Outcome
    ) {
        sendAnswers(to: other)
        do throws(ChatError) {
            let outcome = try operation(&router)
            note(outcome.events)
            outgoing += outcome.outgoing.map(\.payload)
        } catch {
            breach = Breach("operations", "a step that is possible is refused: \(error.code)")
        }
    }
}

/// The connection.
extension DirectSide {
    func connect(to other: DirectSide, isHeard: Bool = true) {
        note(router.linkOpened(other.id, at: DirectSide.moment))
        if isHeard { router.linkReady(other.id) }
    }

    /// - Parameter isTaken: whether the failure of all messages under way is reported.
    func disconnect(from other: DirectSide, isTaken: Bool) {
        if isTaken { for own in written where own.status == .sending { settle(own.id, .failed) } }
        note(router.linkClosed(other.id, .lost, at: DirectSide.moment))
    }

    /// Sends the receipts and the automatic answers that wait.
    func sendAnswers(to other: DirectSide) {
        let answers = router.takeAnswers(to: router.peersOwedAnswers, at: DirectSide.moment)
        outgoing += answers.map(\.payload)
    }

    /// Sends a receipt whatever the user has agreed to: the step of a mutant.
    func acknowledge(_ message: MessageID, to other: DirectSide) {
        outgoing.append(
            router.session.sign(.delivered(target: other.id, ids: [message]), at: DirectSide.moment.wallClock))
    }

    /// Sends the messages that wait, and checks what the turn has shown.
    func endTurn(with other: DirectSide, isUp: Bool) {
        outgoing += router.takeBacklogs(at: DirectSide.moment).map(\.payload)
        if isUp { other.inbox += outgoing }
        outgoing = []
        if state(with: other) == .left { hasAgreed = false }
        for message in router.history(.direct(other.id)) where message.author == other.id {
            guard seen.insert(message.id).inserted, !hasAgreed else { continue }
            breach = Breach("consent", "\"\(message.content)\" is shown to a user that has not agreed")
        }
    }

    func receive(_ payload: VerifiedPayload, from other: DirectSide) {
        let frame = DirectSide.identities.frame(payload)
        guard
            let came = try? VerifiedPayload(
                authenticating: PayloadFrame(direct: frame.span), under: DirectSide.identities.key)
        else {
            breach = Breach("frames", "a frame of an honest peer is refused")
            return
        }
        note(router.route(came, at: DirectSide.moment))
    }
}

/// The events for the user.
extension DirectSide {
    private func note(_ events: [NodeEvent]) {
        for event in events {
            switch event {
            case .message(let message): note(message)
            case .delivered(_, let ids): for id in ids { settle(id, .delivered) }
            case .failed(_, let messages): for message in messages { settle(message.id, .failed) }
            default: break
            }
        }
    }

    private func note(_ message: MessageView) {
        if message.isFromCurrentUser {
            hasAgreed = true
            written.append(Own(id: message.id, status: .sending))
        } else if seen.contains(message.id) {
            breach = Breach("once", "\"\(message.text)\" is shown twice")
        }
    }

    private func settle(_ id: MessageID, _ next: DeliveryState) {
        guard let index = written.firstIndex(where: { $0.id == id }) else { return }
        if written[index].status != .sending {
            breach = Breach("outcome", "message \(index + 1) of \(number) was \(written[index].status), and is \(next)")
        }
        written[index].status = next
    }
}

extension DirectSide {
    /// All that decides what can still happen. Left out are the numbers and times of payloads, which order what is shown and decide nothing
    /// else here; the messages of both sides are named by their authors and their order.
    func write(to digest: inout Digest, with other: DirectSide, _ labels: [MessageID: UInt8]) {
        func label(_ id: MessageID) -> UInt8 { labels[id] ?? 255 }
        digest.write(hasAgreed)
        for own in written {
            digest.write(own.status.rawValue)
            digest.write(seen.contains(own.id))
        }
        digest.write(inbox.count)
        for payload in inbox { write(payload, to: &digest, label) }
        digest.write(seen.map(label).sorted())
        for answer in router.replies.answers { digest.write(answer.answer == .acceptance) }
        digest.write(router.replies.answers.count)
        digest.write(router.peersOwedAnswers.isEmpty)
        guard let chat = router.directChats[other.id] else { return digest.write(0 as UInt8) }
        chat.write(to: &digest, labels.keys.sorted { label($0) < label($1) }, label)
    }

    private func write(_ payload: VerifiedPayload, to digest: inout Digest, _ label: (MessageID) -> UInt8) {
        digest.write(payload.type.rawValue)
        digest.write(label(payload.id))
        if case .delivered(_, let ids) = payload.payload.body { digest.write(ids.map(label)) }
    }
}

extension DirectChat {
    fileprivate func write(to digest: inout Digest, _ all: [MessageID], _ label: (MessageID) -> UInt8) {
        switch state {
        case .none: digest.write(1 as UInt8)
        case .requestedByUs: digest.write(2 as UInt8)
        case .requestedByThem(let message):
            digest.write(3 as UInt8)
            digest.write(label(message.id))
        case .accepted: digest.write(4 as UInt8)
        case .declined: digest.write(5 as UInt8)
        case .left: digest.write(6 as UInt8)
        }
        digest.write(owesAcceptance)
        for id in all {
            digest.write(queue.contains(id))
            digest.write(hasTaken(id))
            digest.write(delivery(of: id)?.rawValue ?? "")
        }
        queue.write(to: &digest)
        var receipts = receipts
        digest.write(
            receipts.takeReceipts(for: peer).flatMap { body -> [UInt8] in
                if case .delivered(_, let ids) = body { ids.map(label) } else { [] }
            })
    }
}

extension DirectQueue {
    /// How many of its entries were sent on the present connection, and how many there are.
    fileprivate func write(to digest: inout Digest) {
        var sent = self
        _ = sent.giveUp(keepingSent: true)
        digest.write(sent.count)
        digest.write(count)
    }
}

/// Two certificates, and the key of both, that stand for those of the users.
private struct PairOfKeys: Sendable {
    private let certificate: Certificate
    let key: DirectKey

    init() {
        var randomness = Randomness.seeded(4_711)
        let identity = Identity.generate(using: &randomness)
        let pair = KeyPair.generate(using: &randomness, protection: .transient)
        certificate = Certificate.issue(by: identity, noise: pair.publicKey, dm: pair.publicKey, epoch: 1, serial: 1)
        guard let key = DirectKey(of: pair, certificate, with: certificate) else { preconditionFailure("no key") }
        self.key = key
    }

    /// The body of a frame 16.
    func frame(_ payload: VerifiedPayload) -> [UInt8] {
        Array(payload.signed.directFrame(under: key, from: certificate, to: certificate).dropFirst())
    }
}
