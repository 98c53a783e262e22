import Testing
import Wire

@testable import Chat

/// The expected values were computed by another program from Protocol.md sections 2 and 3.
struct LabelTests {
    @Test func `a sender number and its suffix depend on the key alone`() throws {
        let counting = try #require(PeerID(Array(0..<32)))
        let ones = try #require(PeerID([UInt8](repeating: 0xff, count: 32)))
        #expect(SenderNumber(of: counting).number == 1_331)
        #expect(SenderNumber(of: counting).suffix == 4_317)
        #expect(SenderNumber(of: ones).number == 2_211)
        #expect(SenderNumber(of: ones).suffix == 4_375)
    }

    @Test func `sender numbers have four digits and spread over all of them`() {
        let numbers = (0..<3_000).map { SenderNumber(of: .numbered($0)) }
        #expect(numbers.allSatisfy { (1_000...9_999).contains($0.number) && (1_000...9_999).contains($0.suffix) })
        #expect(Set(numbers.map(\.number)).count > 2_300)
        #expect(Set(numbers).count == 3_000)
    }

    @Test func `an open room is derived from its normalized name`() {
        #expect(Hexadecimal.encode(Room.lobby.id.bytes) == "4ba1b0bc9d93adc086ed08c1a885dcc6")
        #expect(Room.lobby.tag == "25bb455c")
        #expect(Hexadecimal.encode(Room(openNamed: "cafe\u{301}").id.bytes) == "450d3c8fa3a119b929946a0d295bc933")
        #expect(Room(openNamed: "cafe\u{301}").tag == "6e7c8fda")
        #expect(Room(openNamed: "caf\u{e9}").id == Room(openNamed: "cafe\u{301}").id)
        #expect(Room.lobby.id != Room(openNamed: "Lobby").id)
    }

    @Test func `a room is decoded from exactly 16 bytes`() {
        let room = Room.lobby.id
        #expect(RoomID(room.bytes) == room)
        #expect(RoomID(Array(room.bytes.dropLast())) == nil)
        #expect(RoomID(room.bytes + [0]) == nil)
    }
}
