@testable import ChatNode
import Testing
import Wire

@Suite struct ContactBookTests {
    private var book = ContactBook()
    private let start = Instant(nanoseconds: 0)
    private let alice = ChoiceTown.peer(1)
    private let bob = ChoiceTown.peer(2)

    @Test mutating func `of each teller eight contacts are kept, and none once its link has ended`() {
        #expect(book.takes(from: alice, now: start) == true && book.takes(from: bob, now: start) == true)
        #expect(book.note((0..<9).map { "a\($0)" }, of: alice) == ["a0"])
        #expect(book.note(["a9", "a1"], of: alice) == ["a2"])
        #expect(book.note(["a1", "b"], of: bob).isEmpty)
        // A contact of another teller is kept.
        #expect(book.forget(alice).sorted() == ["a3", "a4", "a5", "a6", "a7", "a8", "a9"])
        #expect(book.forget(bob).sorted() == ["a1", "b"] && book.forget(bob).isEmpty)
    }

    @Test mutating func `a second list of a teller within 30 s is not read`() {
        #expect(book.takes(from: alice, now: start) == true)
        #expect(book.takes(from: alice, now: start + .milliseconds(29_999)) == false)
        #expect(book.takes(from: alice, now: start + .seconds(30)) == true)
    }

    @Test func `a contact's name is one that neither mDNS nor the user can give`() {
        let name = ContactBook.instance(at: ChoiceTown.address(3))
        #expect(InstanceName(name) == nil && !name.contains(":") && name == "contact 0a000003 4000 0")
    }

    @Test func `no contact is an address of all, none or many hosts`() {
        func endpoint(_ bytes: [UInt8]) -> Endpoint { Endpoint(address: bytes, port: 1) }
        let six = [UInt8](repeating: 0, count: 15)
        #expect(endpoint([10, 0, 0, 1]).isUnicast && endpoint([0xfe, 0x80] + six.prefix(13) + [1]).isUnicast)
        let others: [[UInt8]] = [
            [0, 0, 0, 0], [224, 0, 0, 251], [255, 255, 255, 255], six + [0], [0xff, 2] + six.prefix(14),
        ]
        for address in others { #expect(!endpoint(address).isUnicast, "\(address)") }
    }
}
