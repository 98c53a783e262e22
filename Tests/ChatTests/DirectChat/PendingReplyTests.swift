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
        while !replies.isEmpty {
            let taken = replies.takeAnswers(
                to: [bob], atMost: 12, from: &chats, in: &alice.session, at: alice.moment)
            try #require(!taken.isEmpty)
            let bytes = taken.reduce(0) { $0 + Limits.lengthPrefix + $1.payload.signed.directFrameLength }
            #expect(bytes <= Limits.recordPlaintexts[0])
            for reply in taken {
                switch reply.payload.payload.body {
                case .delivered(_, let ids), .read(_, let ids): acknowledged.formUnion(ids)
                case let body: #expect([.dmAccept(target: bob), .dmLeave(target: bob)].contains(body))
                }
            }
        }
        #expect(acknowledged == Set(ids))
    }
}
