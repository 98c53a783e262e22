import Chat
import ChatNode
import Phrases
import Simulator
import Testing
import Wire

/// Wrong clocks in a crowd (Protocol.md section 7).
struct CrowdClockTests {
    @Test(arguments: [-600, 600])
    func `a node whose clock is ten minutes off hears all of a crowd, and all hear it`(seconds: Int) {
        let room = CrowdRoom(35, links: 6, seed: UInt64(700 + seconds))
        #expect(room.gather(within: .seconds(30)))
        let wrong = room.join("wrong", clockError: .seconds(seconds))
        room.simulation.advance(by: .seconds(20))
        #expect(wrong.online == 35)
        #expect(room.holders(of: wrong) == 35)
        #expect(throws: Never.self) { try wrong.say("what time is it?") }
        let others = room.people.filter { $0 !== wrong }
        for (number, other) in others.enumerated() where number % 7 == 0 {
            #expect(throws: Never.self) { try other.say("time \(number)") }
        }
        room.simulation.advance(by: .seconds(5))
        #expect(others.count { $0.texts().contains("what time is it?") } == 35)
        #expect(wrong.messages.map(\.text).filter { $0.hasPrefix("time ") }.count == 5)
        #expect(wrong.notices(.clockSkew).count == 1)
        #expect(others.allSatisfy { $0.notices(.clockSkew).isEmpty })
    }

    @Test func `a newcomer of a crowd that is older than a minute is not told that its clock is wrong`() {
        let room = CrowdRoom(12, links: 6, seed: 703)
        #expect(room.gather(within: .seconds(20)))
        room.simulation.advance(by: .seconds(300))
        let newcomer = room.simulation.node("newcomer")
        room.simulation.advance(by: .seconds(60))
        #expect(newcomer.linkCount >= 3)
        #expect(newcomer.notices(.clockSkew).isEmpty)
    }
}
