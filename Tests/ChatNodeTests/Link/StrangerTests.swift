import Chat
import ChatNode
import Noise
import Testing
import Wire

/// Strangers without a private room's key, in both roles (Protocol.md section 3).
@Suite struct StrangerTests {
    private static func room(_ key: String) throws -> Room {
        let bytes = Array(key.utf8)
        let text = Secret(count: bytes.count, protection: .transient) { secret in
            for index in bytes.indices { secret[index] = bytes[index] }
        }
        return Room("kitchen", key: try RoomKey(reading: text, forRoomNamed: "kitchen"))
    }

    private let members: Room
    /// A room with another key, and the open room of the name, whose key is published.
    private let others: [Room]

    init() throws {
        members = try StrangerTests.room("abide-amend-leader-amend-exempt-afford-bring-cymbal")
        var randomness = Randomness.seeded(5)
        let text = RoomKey.generate(using: &randomness)
        others = [
            Room("kitchen", key: try RoomKey(reading: text, forRoomNamed: "kitchen")), Room(openNamed: "kitchen"),
        ]
    }

    @Test func `members of a private room meet`() {
        let pair = LinkPair(aliceRoom: members, bobRoom: members)
        pair.shuttle()
        #expect(pair.alice.established != nil && pair.bob.established != nil)
    }

    @Test func `a caller without the key gets no byte, and a failed handshake is all that is counted`() {
        for room in others {
            let pair = LinkPair(aliceRoom: room, bobRoom: members)
            pair.bob.receive(pair.alice.output())
            #expect(pair.bob.failure == .handshakeFailed)
            #expect(pair.bob.output().isEmpty)
        }
    }

    @Test func `a stranger that is called can not answer, and reads nothing`() {
        for room in others {
            let pair = LinkPair(aliceRoom: members, bobRoom: room)
            let first = pair.alice.output()
            pair.bob.receive(first)
            #expect(pair.bob.failure == .handshakeFailed && pair.bob.output().isEmpty)
            // An answer under its own key, to a message of its own.
            let own = LinkPair(aliceRoom: room, bobRoom: room)
            own.bob.receive(own.alice.output())
            pair.alice.receive(own.bob.output())
            #expect(pair.alice.failure == .handshakeFailed && pair.alice.established == nil)
            #expect(pair.alice.output().isEmpty)
        }
    }

    @Test func `a first message has an ephemeral key and sealed zeros, the same length in each room`() {
        for room in others + [members] {
            let first = LinkSide(.initiator, context: LinkSide.context(seed: 1, room: room), seed: 2).output()
            #expect(first.count == 530)
            let zeros = first.split(whereSeparator: { $0 != 0 }).map(\.count).max() ?? 0
            #expect(zeros < 8)
        }
    }

    @Test func `a first message with another payload is refused`() throws {
        var randomness = Randomness.seeded(9)
        let key = StaticKey(KeyPair.generate(using: &randomness))
        var handshake = Handshake(
            role: .initiator, prologue: members.prologue, room: members.preSharedKey, key: key, using: &randomness)
        var payload = Handshake.openingPayload
        payload[479] = 1
        let message = try handshake.writeMessage(payload: payload.span)
        let bob = LinkSide(.responder, context: LinkSide.context(seed: 1, room: members), seed: 2)
        bob.receive([2, 16] + message)
        #expect(bob.failure == .handshakeFailed)
        #expect(bob.output().isEmpty)
    }
}
