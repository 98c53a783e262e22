import Chat
import Noise
import Wire

/// The course of a node from its start to its end. While it leaves, all queues are written and each peer gets a goodbye; it stops
/// when its last link has closed.
struct Lifecycle {
    private enum Phase {
        case idle
        case running
        case leaving
        case stopping
        case stopped
    }

    /// How long leaving waits for peers to take what was sent.
    private static let leavingTime = Duration.seconds(10)

    /// How long leaving waits for a peer to acknowledge the last direct messages, which it does with its own goodbye.
    private static let receiptTime = Duration.seconds(1)

    /// How long a node that is wiped waits for peers to take what was sent: its data shall be gone.
    private static let wipeTime = Duration.seconds(1)

    private var phase = Phase.idle
    /// Why the node leaves, or would.
    private(set) var reason = StopReason.asked
    /// The node announces itself and looks for peers, or has done so.
    private(set) var hasEntered = false
    /// While leaving; nil before, and where no receipt is awaited any more.
    private var receiptsAwaitedUntil: Instant?
    /// When links end that have not taken all bytes; nil where they are not waited for, or have ended.
    private var linksEndAt: Instant?
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// The node has started and is not leaving.
    var isRunning: Bool { phase == .running }

    var isLeaving: Bool { phase == .leaving }

    var isStopped: Bool { phase == .stopped }

    /// The calls that wait for the end.
    var waitingCount: Int { waiting.count }

    var nextDeadline: Instant? { isLeaving ? receiptsAwaitedUntil ?? linksEndAt : nil }

    /// - Returns: false if the node has started before, or was stopped before it did.
    func mayStart() -> Bool { phase == .idle }

    mutating func start() { phase = .running }

    /// True for the first call while the node runs.
    mutating func enter() -> Bool {
        guard isRunning, !hasEntered else { return false }
        hasEntered = true
        return true
    }

    /// Stops a node that never started; false for another.
    mutating func skip() -> Bool {
        guard phase == .idle else { return false }
        stop()
        return true
    }

    /// The user, or an error, ends a running node: each peer gets a goodbye.
    ///
    /// - Parameters:
    ///   - isWiped: whether the data of the node is to be gone at once.
    ///   - dials: the connections that are being dialled.
    mutating func leave(
        because reason: StopReason, _ isWiped: Bool, _ links: inout Links, dials: [ConnectionID],
        _ environment: Environment, _ effects: inout Effects
    ) {
        phase = .leaving
        self.reason = reason
        receiptsAwaitedUntil = isWiped ? nil : environment.now + Lifecycle.receiptTime
        linksEndAt = environment.now + (isWiped ? Lifecycle.wipeTime : Lifecycle.leavingTime)
        links.closeDoors(dials)
        for link in links.connections.all {
            // One size at each leave, with receipts or without.
            links.enqueue(GoodbyeReason.leaving.frame, on: link)
            links.seal(link, atLeast: Limits.coverPlaintext)
            links.flush(link, environment, &effects)
        }
        effects.append(.arm(.leaving))
    }

    /// Ends a running session in favour of a later one of our identity, whose certificate goes to all links. Peers get no presence
    /// that says that we left, since our identity stays in the room.
    mutating func signOut(
        because better: Certificate, _ links: inout Links, dials: [ConnectionID], _ effects: inout Effects
    ) {
        phase = .leaving
        reason = .signedOut
        links.closeDoors(dials)
        for link in links.connections.all { effects.append(.close(.link(link.id), .signedOut(by: better))) }
    }

    /// Ends each connection that has nothing left to say; when the last has closed, the node stops. While receipts are awaited on one link none
    /// ends: the last to end would show the receiver.
    mutating func goOn(
        _ links: inout Links, _ router: inout MessageRouter, _ environment: Environment, _ effects: inout Effects
    ) {
        guard phase == .leaving else { return }
        let all = links.connections.all
        if !all.contains(where: { awaitsReceipts(on: $0, links.connections, router, environment) }) {
            for link in all where link.queuedBytes == 0 && !link.isFinishing { links.finishWhenSent(link) }
        }
        guard links.connections.isEmpty else { return }
        phase = .stopping
        // Not before all links are closed: until then receipts may come.
        effects.append(.apply(Outcome(events: router.giveUp())))
        effects.append(.then(.stop))
    }

    private func awaitsReceipts(
        on link: LinkInfo, _ connections: Connections, _ router: borrowing MessageRouter, _ environment: Environment
    ) -> Bool {
        guard let receiptsAwaitedUntil, environment.now < receiptsAwaitedUntil, let peer = link.peer else {
            return false
        }
        return connections.sendingLink(of: peer)?.id == link.id && router.awaitsReceipts(from: peer)
    }

    mutating func tick(
        _ links: inout Links, _ router: inout MessageRouter, _ environment: Environment, _ effects: inout Effects
    ) {
        if receiptsAwaitedUntil != nil {
            receiptsAwaitedUntil = nil
            effects.append(.arm(.leaving))
            goOn(&links, &router, environment, &effects)
        } else {
            linksEndAt = nil
            for link in links.connections.all { links.close(link, .leaving, environment, &effects) }
        }
    }

    /// Resumes a caller at the end of the node; at once if that has come, also between a check of the caller and its wait.
    mutating func wait(_ caller: CheckedContinuation<Void, Never>) {
        if isStopped { caller.resume() } else { waiting.append(caller) }
    }

    /// The end of the node.
    mutating func stop() {
        phase = .stopped
        for caller in exchange(&waiting, with: []) { caller.resume() }
    }
}
