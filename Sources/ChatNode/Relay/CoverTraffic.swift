import Chat
import Noise
import Wire

/// Hides the receivers of private payloads: all other links carry records of the same length at the same time, all receivers answer,
/// and with `--cover` records go at times that tell nothing (Protocol.md section 8, "Hiding the receiver").
struct CoverTraffic {
    /// How an observer is kept from learning the receiver of a payload.
    enum Hiding: Hashable {
        /// By equal records on all other links.
        case records(wantsAnswer: Bool)
        /// The record goes in any case: as an answer, or in a slot of `--cover`.
        case none
    }

    /// The frames of a payload, as `SealedMail` wrote them.
    struct Written: Hashable {
        let links: [ConnectionID]
        /// Bytes of the frame, type byte included.
        let byteCount: Int
        /// Whether the links' peers answer: not those that pass it on.
        let isAnswered: Bool
    }

    private struct Answer {
        /// The requests that it answers.
        var requests: Int
        var at: Instant
    }

    private struct Held {
        let payload: VerifiedPayload
        let peer: PeerID
    }

    private var randomness: Randomness
    private(set) var isOn: Bool
    /// The peers that a record is due for, on the link that frames are sent on then.
    private var answers: [PeerID: Answer] = [:]
    /// When answers and receipts that no record carries go as an act of their own: to peers with a link.
    private var receiptsAt: Instant?
    /// Not before.
    private var nextReceipts: Instant?
    /// As `receiptsAt`, to peers without a link.
    private var sealedReceiptsAt: Instant?
    /// The next slot of `--cover`; nil before the first.
    private var slotAt: Instant?
    /// For the next slots.
    private var held: [Held] = []
    private var chaffSent = 0
    private var chaffReceived = 0
    private var answered = 0
    private var slots = 0
    private var slotBytes = 0

    init(isOn: Bool, randomness: Randomness) {
        self.isOn = isOn
        self.randomness = randomness
    }

    /// The next time at which `tick` has something to do.
    var nextDeadline: Instant? {
        let receipts = Instant.earlier(receiptsAt, sealedReceiptsAt)
        return Instant.earlier(Instant.earlier(receipts, slotAt), answers.values.lazy.map(\.at).min())
    }

    var counters: [Counter] {
        [
            Counter(.chaffSent, chaffSent), Counter(.chaffReceived, chaffReceived), Counter(.coverAnswers, answered),
            Counter(.coverSlots, slots), Counter(.coverBytes, slotBytes),
        ]
    }

    /// Sends a payload to a peer, or holds it for the next slot.
    mutating func send(
        _ payload: VerifiedPayload, to peer: PeerID, _ environment: Environment, _ effects: inout Effects
    ) {
        guard isOn, environment.isRunning else {
            let wantsAnswer = payload.type.isAnsweredOnLinks
            return effects.append(.sendPrivate(payload, to: peer, .records(wantsAnswer: wantsAnswer)))
        }
        guard held.count < Limits.heldPayloads else { return }
        held.append(Held(payload: payload, peer: peer))
        startSlots(environment, &effects)
    }

    /// Fills the records of a payload, and sends equal ones without content on the other links; asks all for an answer.
    mutating func hide(_ written: Written, wantsAnswer: Bool, _ links: inout Links) {
        let (whole, rest) = ChaffFrame.hiding(
            written.byteCount, wantsAnswer: wantsAnswer && written.isAnswered)
        for link in links.connections.active {
            let isWritten = written.links.contains(link.id)
            if !isWritten { chaffSent += 1 }
            if let frame = isWritten ? rest : whole { links.enqueue(frame.bytes, on: link) }
        }
    }

    /// Handles the body of a frame 17. One answer serves as many requests as there may be receipts in it.
    mutating func receive(
        _ body: Span<UInt8>, on link: LinkInfo, _ environment: Environment, _ effects: inout Effects
    ) {
        guard let chaff = ChaffFrame(body) else { return effects.append(.countUnexpectedFrame) }
        chaffReceived += 1
        // The slots answer.
        guard chaff.wantsAnswer, !isOn, let peer = link.peer else { return }
        var answer = answers[peer] ?? Answer(requests: 0, at: environment.now + drawPause())
        guard answer.requests < Limits.requestsKept else { return }
        answer.requests += 1
        // Messages come faster than usual: without their receipts their author gives them up.
        if answer.requests == Limits.receiptsPerAnswer {
            answer.at = min(answer.at, environment.now + drawShortPause())
        }
        answers[peer] = answer
        effects.append(.arm(.cover))
    }

    mutating func lastLinkEnded(of peer: PeerID) { answers[peer] = nil }

    /// Records that answers and receipts may wait: those to peers that no record is due to go as an act of their own.
    mutating func scheduleReceipts(
        _ router: borrowing MessageRouter, _ connections: Connections, _ environment: Environment,
        _ effects: inout Effects
    ) {
        guard environment.isRunning else { return }
        let owed = router.peersOwedAnswers
        guard !owed.isEmpty else { return }
        if isOn { return startSlots(environment, &effects) }
        for peer in owed.sorted() {
            if connections.sendingLink(of: peer) != nil {
                guard answers[peer] == nil, receiptsAt == nil else { continue }
                let soon = environment.now + drawPause()
                receiptsAt = nextReceipts.map { max($0, soon) } ?? soon
            } else if sealedReceiptsAt == nil {
                sealedReceiptsAt = environment.now + drawPause()
            }
        }
        effects.append(.arm(.cover))
    }

    /// Sends all that is due: answers, receipts, and the records of a slot.
    mutating func tick(
        _ router: inout MessageRouter, _ links: inout Links, _ environment: Environment, _ effects: inout Effects
    ) {
        guard environment.isRunning else { return }
        answerDue(&router, &links, environment, &effects)
        sendDueReceipts(&router, links.connections, environment, &effects)
        if let slotAt, slotAt <= environment.now { fillSlot(&router, &links, environment, &effects) }
        effects.append(.arm(.cover))
    }

    private mutating func answerDue(
        _ router: inout MessageRouter, _ links: inout Links, _ environment: Environment, _ effects: inout Effects
    ) {
        for (peer, answer) in answers.filter({ $0.value.at <= environment.now }).sorted(by: { $0.key < $1.key }) {
            let rest = answer.requests - Limits.receiptsPerAnswer
            let pause = rest < Limits.receiptsPerAnswer ? drawPause() : drawShortPause()
            answers[peer] = rest > 0 ? Answer(requests: rest, at: environment.now + pause) : nil
            guard let link = links.connections.sendingLink(of: peer) else { continue }
            answered += 1
            let replies = takeAnswers(to: [peer], atMost: Limits.receiptsPerAnswer, &router, environment)
            for reply in replies { effects.append(.sendPrivate(reply.payload, to: peer, .none)) }
            if replies.isEmpty { links.enqueue(ChaffFrame(wantsAnswer: false).bytes, on: link) }
        }
    }

    private mutating func sendDueReceipts(
        _ router: inout MessageRouter, _ connections: Connections, _ environment: Environment,
        _ effects: inout Effects
    ) {
        let now = environment.now
        let (linked, isSealed) = (receiptsAt.map { $0 <= now } ?? false, sealedReceiptsAt.map { $0 <= now } ?? false)
        guard linked || isSealed else { return }
        let peers = router.peersOwedAnswers.filter {
            connections.sendingLink(of: $0) == nil ? isSealed : linked
        }
        if isSealed { sealedReceiptsAt = nil }
        if linked { receiptsAt = nil }
        let replies = takeAnswers(to: peers, atMost: PayloadBody.receiptIDs, &router, environment)
        if linked, !replies.isEmpty { nextReceipts = now + Limits.receiptPause }
        for case let (payload, .peer(peer)) in replies.map({ ($0.payload, $0.destination) }) {
            effects.append(.sendPrivate(payload, to: peer, .records(wantsAnswer: false)))
        }
        effects.append(.routed)
    }

    private func takeAnswers(
        to peers: Set<PeerID>, atMost count: Int, _ router: inout MessageRouter, _ environment: Environment
    ) -> [Outgoing] {
        guard !peers.isDisjoint(with: router.peersOwedAnswers) else { return [] }
        return router.takeAnswers(to: peers, atMost: count, at: environment.moment)
    }

    private mutating func drawPause() -> Duration {
        .random(in: Limits.coverAnswerLeast...Limits.coverAnswerMost, using: &randomness)
    }

    private mutating func drawShortPause() -> Duration {
        .random(in: .zero...Limits.coverAnswerLeast, using: &randomness)
    }
}

/// The slots of `--cover`.
extension CoverTraffic {
    /// The user wants cover, or no longer.
    mutating func turn(
        on isOn: Bool, _ router: inout MessageRouter, _ links: inout Links, _ environment: Environment,
        _ effects: inout Effects
    ) {
        guard isOn != self.isOn else { return }
        if isOn {
            self.isOn = true
            return startSlots(environment, &effects)
        }
        endSlots(&router, &links, environment, &effects)
        self.isOn = false
        effects.append(.routed)
    }

    /// The node leaves, or slots end. A last slot, on all links whether anything waits or not, has the payloads and the answers that waited for
    /// one; those that do not fit follow as acts of their own, since there is no later slot.
    mutating func endSlots(
        _ router: inout MessageRouter, _ links: inout Links, _ environment: Environment, _ effects: inout Effects
    ) {
        guard isOn else { return }
        fillSlot(&router, &links, environment, &effects)
        slotAt = nil
        for item in exchange(&held, with: []) {
            effects.append(.sendPrivate(item.payload, to: item.peer, .records(wantsAnswer: true)))
        }
    }

    /// The first link is here, or something waits: slots begin.
    mutating func startSlots(_ environment: Environment, _ effects: inout Effects) {
        guard isOn, slotAt == nil else { return }
        slotAt = environment.now + drawSlot()
        effects.append(.arm(.cover))
    }

    private mutating func drawSlot() -> Duration {
        .random(in: Limits.coverSlotLeast...Limits.coverSlotMost, using: &randomness)
    }

    private mutating func fillSlot(
        _ router: inout MessageRouter, _ links: inout Links, _ environment: Environment, _ effects: inout Effects
    ) {
        // The links are written in the order of a public message, not those of payloads first.
        links.markAllDirty()
        slotAt = links.connections.active.isEmpty && held.isEmpty ? nil : environment.now + drawSlot()
        let replies = takeAnswers(
            to: router.peersOwedAnswers, atMost: Limits.receiptsPerAnswer, &router, environment)
        for case let (payload, .peer(peer)) in replies.map({ ($0.payload, $0.destination) }) {
            held.append(Held(payload: payload, peer: peer))
        }
        let size = takeForSlot(links.connections, &effects)
        effects.append(.then(.coverLinks(with: size)))
    }

    /// Sends payloads that fit into records of one size, in order.
    ///
    /// - Returns: that size, of the plaintext.
    private mutating func takeForSlot(_ connections: Connections, _ effects: inout Effects) -> Int {
        var used: [PeerID: Int] = [:]
        var taken = 0
        var isAlone = false
        for item in held {
            let isSealed = connections.sendingLink(of: item.peer) == nil
            let sum =
                used[item.peer, default: ChaffFrame.smallestInRecord] + item.payload.signed.directFrameLength
                + Limits.lengthPrefix
            let fits = !isSealed && sum <= Limits.coverPlaintext
            guard !isAlone, fits || taken == 0 else { break }
            isAlone = !fits
            used[item.peer] = sum
            taken += 1
            effects.append(.sendPrivate(item.payload, to: item.peer, .none))
        }
        let isLong = isAlone && (held.first.map { $0.payload.signed.directFrameLength } ?? 0) > CoverTraffic.longest
        held.removeFirst(taken)
        return isLong ? CoverTraffic.longestPlaintext : Limits.coverPlaintext
    }

    /// That of the largest record.
    private static var longestPlaintext: Int { Limits.recordPlaintexts[Limits.recordPlaintexts.count - 1] }

    /// The longest payload that fits into a record of a slot, sealed too.
    private static var longest: Int { Limits.coverPlaintext - SealedMessage.overhead }

    /// Makes each link's record one of `size`, also where nothing waits. Each asks for an answer: a receiver without slots has its
    /// receipts in it, and no receiver shows itself.
    mutating func cover(_ links: inout Links, with size: Int) {
        slots += 1
        let request = ChaffFrame(wantsAnswer: true).bytes
        // A frame that waits besides the payload of the slot makes all records longer, not the one of the receiver.
        let isFull = links.mostBytesWaiting + Limits.lengthPrefix + request.count > size
        let size = isFull ? CoverTraffic.longestPlaintext : size
        for link in links.connections.active {
            links.sealCover(request, on: link, atLeast: size)
            slotBytes += Limits.lengthPrefix + size + Limits.sealOverhead
        }
    }
}

extension PayloadType {
    /// Whether all receivers of the records that hide this payload answer, so that the answer of its own tells nothing.
    fileprivate var isAnsweredOnLinks: Bool {
        switch self {
        case .edit, .delete, .reaction, .dmRequest, .dmAccept, .dmDecline, .dmLeave, .directMessage, .invitation: true
        case .publicMessage, .presence, .typing, .card, .delivered, .read: false
        }
    }
}

extension Limits {
    /// From a private payload, or a record that hides one, to the answer, at random from here on. Earlier answers would differ by how
    /// busy a receiver is.
    static let coverAnswerLeast = Duration.milliseconds(200)
    /// Later answers delay the mark of delivery.
    static let coverAnswerMost = Duration.seconds(2)
    /// Between two acts that carry nothing but receipts. A shorter pause shows more often that something was read.
    static let receiptPause = Duration.seconds(60)
    /// Ids in the receipts of an answer, and requests for one: two receipts with them fit into the smallest record.
    static let receiptsPerAnswer = 12
    /// Requests of a peer that are not answered yet. With more, a flood of them is answered for longer; with fewer, some receipts of
    /// a peer that says much wait for another answer.
    static let requestsKept = 120
    /// Between two slots of `--cover`, at random from here on. A shorter pause costs more.
    static let coverSlotLeast = Duration.milliseconds(200)
    /// A longer pause delays each private message.
    static let coverSlotMost = Duration.milliseconds(1_800)
    /// Bytes of the record of a slot. A smaller one shows long texts; a larger one costs more.
    static let coverPlaintext = 1_280
    /// Private payloads that wait for slots. A user who writes at the usual rate has few.
    static let heldPayloads = 256
}
