import Chat
import Testing
import Wire

@testable import Commands

struct InvitationsTests {
    private func peer(_ number: UInt8) throws -> PeerName {
        let key = try #require(PeerID([UInt8](repeating: number, count: PeerID.byteCount)))
        return PeerName(number: 1_000 + Int(number), suffix: nil, nickname: "p", stage: .newcomer, key: key)
    }

    @Test func `sixty invitations of one peer displace none of another`() throws {
        var invitations = Invitations()
        let (friend, flooder) = (try peer(1), try peer(2))
        invitations.add(Room(openNamed: "kitchen"), from: friend)
        for number in 0..<60 { invitations.add(Room(openNamed: "room \(number)"), from: flooder) }
        #expect(invitations.all.count == Limits.invitations)
        #expect(invitations.room(named: "kitchen") != nil && invitations.room(named: "room 59") != nil)
        #expect(invitations.room(named: "room 0") == nil)
    }

    @Test func `one invitation each of many peers: the oldest goes`() throws {
        var invitations = Invitations()
        for number in 0..<40 as Range<UInt8> {
            invitations.add(Room(openNamed: "room \(number)"), from: try peer(number))
        }
        #expect(invitations.all.map(\.room.name) == (8..<40).map { "room \($0)" })
    }
}
