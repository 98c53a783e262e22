import Chat
import ChatNode
import Phrases
import Testing
import Wire

/// One identity in two places, on real TCP (Protocol.md section 9).
@Suite struct LoginTests {
    @Test func `of two sessions of one identity one goes on, and the other signs out`() async throws {
        let world = TCPWorld()
        let bob = try await world.person("bob") { _ in }
        let first = try await world.person("alice", identitySeed: 81)
        #expect(await world.wait(atMost: .seconds(20)) { bob.told.hasSeen(first) })
        let second = try await world.person("alice", identitySeed: 81)
        let sessions = [first, second]
        #expect(await world.wait(atMost: .seconds(20)) { sessions.count { $0.told.stopReason == nil } == 1 })
        let last = try #require(sessions.first { $0.told.stopReason == nil })
        let gone = try #require(sessions.first { $0 !== last })
        #expect(gone.told.stopReason == .signedOut)
        #expect(gone.told.notices == [.signedOut])
        try await last.perform { node throws(ChatError) in try node.perform(.send("it is me")) }
        #expect(await world.wait(atMost: .seconds(20)) { bob.told.messages.map(\.text) == ["it is me"] })
        #expect(bob.told.hasSeen(last))
        await world.close()
    }

    @Test func `a session of an identity that has left is followed by the next`() async throws {
        let world = TCPWorld()
        let bob = try await world.person("bob") { _ in }
        let first = try await world.person("alice", identitySeed: 82)
        #expect(await world.wait(atMost: .seconds(20)) { bob.told.hasSeen(first) })
        await first.leave()
        let second = try await world.person("alice", identitySeed: 82)
        #expect(await world.wait(atMost: .seconds(20)) { second.told.hasSeen(bob) })
        try await second.perform { node throws(ChatError) in try node.perform(.send("back")) }
        #expect(await world.wait(atMost: .seconds(20)) { bob.told.messages.map(\.text) == ["back"] })
        #expect(second.told.stopReason == nil)
        await world.close()
    }
}

extension Told {
    /// Why the node stopped; nil while it runs.
    var stopReason: StopReason? {
        events.compactMap { if case .stopped(let reason) = $0 { reason } else { nil } }.last
    }

    var notices: [NoticeCode] {
        events.compactMap { if case .notice(let code, _) = $0 { code } else { nil } }
    }
}
