import Chat
import TestSupport
import Testing
import Wire

@testable import Commands

/// The numbers by which users open conversations.
@Suite struct ConversationNumbersTests {
    private let kitchen = RoomLabel(number: 1, name: "kitchen")
    private let garage = RoomLabel(number: 2, name: "garage")

    private func peer(_ number: UInt32) throws -> PeerID {
        try #require(PeerID((0..<32).map { UInt8(truncatingIfNeeded: number >> (8 * UInt32($0 % 4))) }))
    }

    @Test func `numbers are given in the order in which conversations begin, in all rooms`() throws {
        var numbers = ConversationNumbers()
        let who = try Sample.who()
        let (me, text) = (try Sample.who("me", byte: 1), try Sample.said("x", by: who, in: .direct(with: who)))
        let ready = NodeEvent.ready(me: me, port: 1, room: "kitchen", discovery: .none)
        #expect(numbers.add(ready, of: kitchen) == [.publicRoom: 1])
        #expect(numbers.add(.request(from: who, text: "may I?"), of: garage) == [.direct(who.key): 2])
        #expect(numbers.add(.message(text), of: kitchen) == [.publicRoom: 1, .direct(who.key): 3])
        #expect(numbers.add(.message(text), of: kitchen) == nil, "one that has begun keeps its number")
        #expect(numbers.add(.direct(.declined, with: who), of: garage) == nil)
        #expect(numbers[garage] == [.direct(who.key): 2], "a declined peer that asks again has the same one")
        let others: [NodeEvent] = [
            .message(try Sample.said("x", by: who)), .peer(.here, me, online: 1), .direct(.left, with: me),
            .typing(me, .direct(with: me), isOn: false), .typing(me, .publicRoom, isOn: true),
        ]
        for event in others { #expect(numbers.add(event, of: kitchen) == nil) }
        #expect(numbers.add(.typing(me, .direct(with: me), isOn: true), of: kitchen)?[.direct(me.key)] == 4)
    }

    @Test func `a room that is left takes its numbers along, and no other number changes`() throws {
        var numbers = ConversationNumbers()
        for room in [kitchen, garage] { _ = numbers.add(.publicRoom, of: room) }
        numbers.remove(kitchen)
        #expect(numbers[kitchen].isEmpty && numbers[garage] == [.publicRoom: 2])
        #expect(numbers.add(.publicRoom, of: RoomLabel(number: 3, name: "kitchen")) == [.publicRoom: 3])
    }

    @Test func `a room has 512 numbers, of which the conversations that are gone give theirs up`() throws {
        var numbers = ConversationNumbers()
        _ = numbers.add(.publicRoom, of: kitchen)
        let kept = Conversation.direct(try peer(1))
        for number in 1...600 {
            _ = numbers.add(.direct(try peer(UInt32(number))), of: kitchen) { $0 == kept || $0 == .publicRoom }
            #expect(numbers[kitchen].count <= 512)
        }
        #expect(numbers[kitchen][kept] == 2 && numbers[kitchen][.publicRoom] == 1)
        #expect(numbers[kitchen][.direct(try peer(2))] == nil)
        #expect(numbers[kitchen][.direct(try peer(600))] == 601)
    }
}
