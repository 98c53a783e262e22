import Testing
import Wire

@testable import Chat

@Suite struct VerificationCodeTests {
    /// The keys of alice and bob in Protocol.md section 12.
    private let alice = PeerID(hexadecimal: "03a107bff3ce10be1d70dd18e74bc09967e4d6309ba50d5f1ddc8664125531b8")
    private let bob = PeerID(hexadecimal: "29acbae141bccaf0b22e1a94d34d0bc7361e526d0bfe12c89794bc9322966dd7")

    @Test func `the code of two keys is that of the worked example, in either order`() throws {
        let (alice, bob) = (try #require(alice), try #require(bob))
        #expect(VerificationCode(alice, bob).text == "0040 4733 7688 1036 6210 3366 1086 2262 1640")
        #expect(VerificationCode(bob, alice) == VerificationCode(alice, bob))
    }

    @Test func `the code has nine groups of four digits, with leading zeros`() {
        for seed in UInt64(0)..<2_000 {
            let groups = VerificationCode(RosterTests.peer(seed), RosterTests.peer(seed + 1)).text.split(separator: " ")
            #expect(groups.count == 9)
            #expect(groups.allSatisfy { $0.utf8.count == 4 && $0.utf8.allSatisfy { (48...57).contains($0) } })
        }
    }

    @Test func `another key has another code`() {
        let codes = (UInt64(1)..<2_000).map { VerificationCode(RosterTests.peer(0), RosterTests.peer($0)) }
        #expect(Set(codes).count == codes.count)
    }
}
