@testable import ChatNode
import Testing
import Wire

@Suite struct ContactBookTests {
    private var book = ContactBook()
    private let start = Instant(nanoseconds: 0)
    private let alice = ChoiceTown.peer(1)
    private let bob = ChoiceTown.peer(2)

    private func contacts(_ numbers: some Sequence<Int>) -> [ContactsFrame.NodeContact] {
        numbers.map { ContactsFrame.NodeContact(peer: ChoiceTown.peer($0), endpoint: ChoiceTown.address($0)) }
    }

    private func names(_ numbers: some Sequence<Int>) -> [String] {
        numbers.map { ContactBook.instance(at: ChoiceTown.address($0)) }
    }

    @Test mutating func `of each teller eight contacts are kept, and none once its link has ended`() {
        #expect(book.admitList(from: alice, now: start) == true && book.admitList(from: bob, now: start) == true)
        #expect(book.record(contacts(10..<19), of: alice, isComplete: false) == names([10]))
        #expect(book.record(contacts([19, 11]), of: alice, isComplete: false) == names([12]))
        #expect(book.record(contacts([11, 30]), of: bob, isComplete: false).isEmpty)
        #expect(book.contacts.count == 10)
        // A contact of another teller is kept.
        #expect(book.forget(alice).sorted() == names(13...19))
        #expect(book.forget(bob).sorted() == names([11, 30]) && book.forget(bob).isEmpty)
    }

    @Test mutating func `peers are counted once, for a minute after they came as contacts`() {
        #expect(book.admitList(from: alice, now: start) && book.admitList(from: bob, now: start + .seconds(10)))
        _ = book.record(contacts(10..<14), of: alice, isComplete: false)
        _ = book.record(contacts(12..<18), of: bob, isComplete: false)
        #expect(book.peers(at: start + .seconds(60)) == Set((10..<18).map(ChoiceTown.peer)))
        #expect(book.peers(at: start + .seconds(61)) == Set((12..<18).map(ChoiceTown.peer)))
        #expect(book.peers(at: start + .seconds(71)).isEmpty)
    }

    @Test mutating func `of a teller four lists are read at once, and one in 10 s`() {
        for _ in 0..<4 { #expect(book.admitList(from: alice, now: start) == true) }
        #expect(book.admitList(from: alice, now: start + .milliseconds(9_900)) == false)
        #expect(book.admitList(from: alice, now: start + .milliseconds(10_001)) == true)
        #expect(book.admitList(from: bob, now: start) == true)
    }

    @Test mutating func `a round of tellings begins half a second after a change, and not again within 10 s`() {
        #expect(book.nextRound == nil && !book.beginRound(now: start))
        book.changed(now: start)
        book.changed(now: start + .milliseconds(400))
        #expect(book.nextRound == start + .milliseconds(500) && !book.beginRound(now: start + .milliseconds(499)))
        #expect(book.beginRound(now: start + .milliseconds(500)) && book.nextRound == nil)
        book.changed(now: start + .seconds(2))
        #expect(book.nextRound == start + .milliseconds(10_500))
    }

    @Test func `a contact's name is one that neither mDNS nor the user can give`() {
        let name = ContactBook.instance(at: ChoiceTown.address(3))
        #expect(InstanceName(name) == nil && !name.contains(":") && name == "contact 0a000003 4000 0")
    }
}
