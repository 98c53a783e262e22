import Testing
import Wire

@testable import Chat

/// The answers that hide a receiver have one size, with any number of receipts (Protocol.md section 8).
struct PendingReplyTests {
    private let alice = Person("alice", seed: 1)
    private let bob = PeerID.numbered(2)

    @Test(arguments: [[], [.acceptance], [.departure], [.acceptance, .departure]] as [[DirectAnswer]])
    func `an answer fits into the smallest record, and the other receipts wait`(answers: [DirectAnswer]) throws {
        var chats = DirectChats(accepted: [bob])
        let ids = (0..<40).map { alice.signPublic("\($0)").id }
        var replies = PendingReplies()
        _ = chats.update(bob) { chat in
            for id in ids { chat.receipts.record(delivered: id) }
            for id in ids.prefix(3) { chat.receipts.record(read: id) }
            replies.recordWaiting(in: chat)
        }
        for answer in answers + answers { replies.add(answer, to: bob) }
        var acknowledged: Set<MessageID> = []
        var told: [PayloadBody] = []
        for _ in ids where !replies.isEmpty {
            let taken = replies.takeAnswers(
                to: [bob], atMost: 12, from: &chats, in: &alice.session, at: alice.moment)
            try #require(!taken.isEmpty)
            let bytes = taken.reduce(0) { $0 + Limits.lengthPrefix + $1.payload.signed.directFrameLength }
            #expect(bytes <= Limits.recordPlaintexts[0])
            let places = taken.map { reply in
                switch reply.payload.payload.body {
                case .delivered(_, let ids), .read(_, let ids):
                    acknowledged.formUnion(ids)
                    return 1
                case let body:
                    told.append(body)
                    return body == .dmAccept(target: bob) ? 0 : 2
                }
            }
            #expect(places == places.sorted(), "an acceptance is first, and a departure last")
        }
        #expect(replies.isEmpty)
        #expect(acknowledged == Set(ids))
        #expect(told == answers.map { $0.body(to: bob) }, "each answer once")
    }
}
