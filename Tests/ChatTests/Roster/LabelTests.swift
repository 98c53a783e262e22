import Testing
import Wire

@testable import Chat

/// The expected values were computed by another program from Protocol.md sections 2 and 3.
struct LabelTests {
    @Test func `a sender number and its suffix depend on the key alone`() throws {
        let counting = try #require(PeerID(Array(0..<32)))
        let ones = try #require(PeerID([UInt8](repeating: 0xff, count: 32)))
        #expect(SenderNumber(of: counting).number == 2_984)
        #expect(SenderNumber(of: counting).suffix == 3_163)
        #expect(SenderNumber(of: ones).number == 1_460)
        #expect(SenderNumber(of: ones).suffix == 7_096)
    }

    @Test func `sender numbers have four digits and spread over all of them`() {
        let numbers = (0..<3_000).map { SenderNumber(of: .numbered($0)) }
        #expect(numbers.allSatisfy { (1_000...9_999).contains($0.number) && (1_000...9_999).contains($0.suffix) })
        #expect(Set(numbers.map(\.number)).count > 2_300)
        #expect(Set(numbers).count == 3_000)
    }

    @Test func `a room is the hash of its normalized name`() {
        #expect(Hexadecimal.encode(RoomID(name: "lobby").bytes) == "73b49a38c7759acdaecb1fdc68d8ae9e")
        #expect(RoomID(name: "lobby").tag == "73b49a38")
        #expect(Hexadecimal.encode(RoomID(name: "cafe\u{301}").bytes) == "df69a9eacf7d5413e14378e2e7d5085f")
        #expect(RoomID(name: "caf\u{e9}") == RoomID(name: "cafe\u{301}"))
        #expect(RoomID(name: "lobby") != RoomID(name: "Lobby"))
    }

    @Test func `a room is decoded from exactly 16 bytes`() {
        let room = RoomID(name: "lobby")
        #expect(RoomID(room.bytes) == room)
        #expect(RoomID(Array(room.bytes.dropLast())) == nil)
        #expect(RoomID(room.bytes + [0]) == nil)
    }
}
