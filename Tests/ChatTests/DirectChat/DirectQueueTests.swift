import Testing
import Wire

@testable import Chat

struct DirectQueueTests {
    private let alice = Person("alice", seed: 1)
    private let bob = PeerID.numbered(2)
    private static let rate = Rate(perSecond: 2, burst: 10)

    private func text(_ text: String) -> VerifiedPayload {
        alice.sign(.directMessage(target: bob, nickname: "alice", text: text))
    }

    private func queue(_ count: Int, isLinked: Bool) -> (DirectQueue, [VerifiedPayload]) {
        var queue = DirectQueue()
        let payloads = (0..<count).map { text("\($0)") }
        for payload in payloads {
            _ = queue.append(payload, text: payload.payload.content, isLinked: isLinked)
        }
        return (queue, payloads)
    }

    @Test func `a payload is sent at once on a link, and waits without one`() {
        var queue = DirectQueue()
        let isSent = queue.append(text("now"), text: "now", isLinked: true)
        #expect(isSent)
        #expect(!queue.hasBacklog)
        let isSentLater = queue.append(text("later"), text: "later", isLinked: false)
        #expect(!isSentLater)
        let isSentBehind = queue.append(text("behind"), text: "behind", isLinked: true)
        #expect(!isSentBehind, "nothing overtakes what waits")
        #expect(queue.hasBacklog)
    }

    @Test func `all payloads are sent again on a new link, the same bytes in the same order, once`() {
        var (queue, payloads) = queue(5, isLinked: true)
        var due = queue.takeDue(now: alice.now, rate: Self.rate)
        #expect(due.isEmpty)
        queue.rewind()
        due = queue.takeDue(now: alice.now, rate: Self.rate)
        #expect(due == payloads)
        due = queue.takeDue(now: alice.now, rate: Self.rate)
        #expect(due.isEmpty)
    }

    @Test func `retransmission keeps to the sender's own rate`() {
        var (queue, payloads) = queue(30, isLinked: false)
        var due = queue.takeDue(now: alice.now, rate: Self.rate)
        #expect(due == Array(payloads[..<10]))
        queue.rewind()
        due = queue.takeDue(now: alice.now, rate: Self.rate)
        #expect(due.isEmpty, "a link that comes and goes gives no more")
        let next = queue.nextDeadline
        #expect(next.map { $0 > alice.now && $0 <= alice.now + .milliseconds(501) } == true)
        alice.pass(.seconds(1))
        due = queue.takeDue(now: alice.now, rate: Self.rate)
        #expect(due == Array(payloads[..<2]))
        due = queue.takeDue(now: alice.now, rate: .unlimited)
        #expect(due.count <= 28)
    }

    @Test func `an acknowledged payload is not sent again, wherever it is in the queue`() {
        var (queue, payloads) = queue(4, isLinked: true)
        for index in [2, 0] {
            let isMessage = queue.acknowledge(payloads[index].payload.messageId)
            #expect(isMessage)
            let isMessageAgain = queue.acknowledge(payloads[index].payload.messageId)
            #expect(!isMessageAgain)
        }
        #expect(!queue.hasBacklog)
        queue.rewind()
        let due = queue.takeDue(now: alice.now, rate: Self.rate)
        #expect(due == [payloads[1], payloads[3]])
    }

    @Test func `the oldest of 101 is given up with its edits`() throws {
        var (queue, payloads) = queue(99, isLinked: true)
        let first = payloads[0].payload.messageId
        _ = queue.append(alice.sign(.edit(to: bob, target: first, text: "zero")), text: nil, isLinked: true)
        queue.edited(first, to: "zero")
        var lost = queue.takeOverflow()
        #expect(lost.isEmpty)
        _ = queue.append(text("one more"), text: "one more", isLinked: true)
        lost = queue.takeOverflow()
        #expect(lost == [Undelivered(id: first, text: "zero")])
        #expect(queue.count == 99)
        #expect(!queue.hasBacklog)
    }

    @Test func `a message deleted before it was sent is never sent, the deletion of one that was sent is`() {
        var (queue, payloads) = queue(2, isLinked: false)
        let ids = payloads.map(\.payload.messageId)
        _ = queue.append(alice.sign(.edit(to: bob, target: ids[0], text: "x")), text: nil, isLinked: false)
        var mayBeThere = queue.takeBack(ids[0])
        #expect(!mayBeThere)
        #expect(queue.count == 1)
        _ = queue.takeDue(now: alice.now, rate: Self.rate)
        mayBeThere = queue.takeBack(ids[1])
        #expect(mayBeThere)
        #expect(queue.isEmpty)
        mayBeThere = queue.takeBack(.numbered(9))
        #expect(mayBeThere, "it was acknowledged")
    }

    @Test func `a deleted request is still sent, and not reported as failed`() {
        var queue = DirectQueue()
        let request = alice.sign(.dmRequest(target: bob, nickname: "alice", text: "may I?"))
        _ = queue.append(request, text: "may I?", isLinked: true)
        let mayBeThere = queue.takeBack(request.payload.messageId)
        #expect(mayBeThere)
        #expect(queue.contains(request.payload.messageId))
        let lost = queue.giveUp(keepingSent: false)
        #expect(lost.isEmpty)
    }

    @Test func `giving up keeps the sent payloads if asked to`() {
        var (queue, payloads) = queue(2, isLinked: true)
        _ = queue.append(text("2"), text: "2", isLinked: false)
        var lost = queue.giveUp(keepingSent: true)
        #expect(lost.map(\.text) == ["2"])
        lost = queue.giveUp(keepingSent: false)
        #expect(lost.map(\.id) == payloads.map(\.payload.messageId))
        #expect(queue.isEmpty)
    }

    @Test func `delivery states never go back`() {
        let all = DeliveryState.allCases
        let steps = all.flatMap { from in all.filter { from.canBecome($0) }.map { [from, $0] } }
        #expect(steps == [[.sending, .delivered], [.sending, .read], [.sending, .failed], [.delivered, .read]])
    }

    @Test func `receipts name at most 100 messages each, and a read receipt implies delivery`() {
        var owed = PendingReceipts()
        for number in 0..<250 as Range<UInt64> { owed.record(delivered: .numbered(number)) }
        owed.record(read: .numbered(7))
        let bodies = owed.takeReceipts(for: bob)
        let counts = bodies.map { body in
            switch body {
            case .delivered(bob, let ids), .read(bob, let ids): ids.count
            default: 0
            }
        }
        #expect(counts == [100, 100, 49, 1])
        #expect(owed.isEmpty)
        for number in 0..<5_000 as Range<UInt64> { owed.record(delivered: .numbered(number)) }
        let most = owed.takeReceipts(for: bob)
        #expect(most.count == 11, "a peer that is never answered fills no memory")
    }
}
