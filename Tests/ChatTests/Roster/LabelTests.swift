import Testing
import Wire

@testable import Chat

/// The expected values were computed by another program from Protocol.md sections 2 and 3.
struct LabelTests {
    @Test func `a sender number and its suffix depend on the key alone`() throws {
        let counting = try #require(PeerID(Array(0..<32)))
        let ones = try #require(PeerID([UInt8](repeating: 0xff, count: 32)))
        #expect(SenderNumber(of: counting).number == 2_241)
        #expect(SenderNumber(of: counting).suffix == 4_687)
        #expect(SenderNumber(of: ones).number == 8_632)
        #expect(SenderNumber(of: ones).suffix == 1_604)
    }

    @Test func `sender numbers have four digits and spread over all of them`() {
        let numbers = (0..<3_000).map { SenderNumber(of: .numbered($0)) }
        #expect(numbers.allSatisfy { (1_000...9_999).contains($0.number) && (1_000...9_999).contains($0.suffix) })
        #expect(Set(numbers.map(\.number)).count > 2_300)
        #expect(Set(numbers).count == 3_000)
    }

    @Test func `an open room is derived from its normalized name`() {
        #expect(Hexadecimal.encode(Room.lobby.id.bytes) == "8a29443c666148f5da75d9b17e30c4c0")
        #expect(Room.lobby.tag == "2b7aa600")
        #expect(Hexadecimal.encode(Room(openNamed: "cafe\u{301}").id.bytes) == "219d55a51643033a602dfac3e78cb8da")
        #expect(Room(openNamed: "cafe\u{301}").tag == "f0c4652d")
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
