import Phrases
import Testing
import Wire

@testable import Chat
@testable import ChatNode
@testable import Commands
@testable import Model

/// Changes behind the last message of a conversation are folded into one note.
@Suite struct ConversationNoteTests {
    private func notes(_ changes: [ModelChange], of id: ConversationID = .kitchen) -> [ConversationNote] {
        changes.compactMap { if case .note(id, let note) = $0 { note } else { nil } }
    }

    @Test func `arrivals and departures are counted up to the next message, and by numbers in a crowd`() {
        var chat = WatchedChat()
        let first = notes(chat.tell(.here(.fox), .here(.owl), .left(.fox)))
        #expect(first.map { [$0.came, $0.left] } == [[1, 0], [2, 0], [2, 1]])
        #expect(Set(first.map(\.number)).count == 1)
        chat.tell(.message(.said(2)))
        // A message in front of the last one begins no other note.
        let second = notes(
            chat.tell(.here(.fox), .message(.said(1, history: true)), .crowd(came: 5, left: 3, online: 9)))
        #expect(second.map { [$0.came, $0.left] } == [[1, 0], [6, 3]])
        #expect(Set(second.map(\.number)) == [(first.first?.number ?? 0) + 1])
    }

    @Test func `a return from away and a repeated state are no arrivals`() {
        var chat = WatchedChat()
        chat.tell(.here(.fox))
        let here = PeerSighting(.fox, .here)
        #expect(notes(chat.tell(.peer(.away, .fox, reason: "lunch", was: here, online: 1))).isEmpty)
        #expect(notes(chat.tell(.peer(.here, .fox, was: PeerSighting(.fox, .away), online: 1))).isEmpty)
        #expect(notes(chat.tell(.here(.fox))).isEmpty)
    }

    @Test func `renames of one peer are one, none if the first name is back, and in the conversation with it too`() {
        var chat = WatchedChat()
        chat.tell(.here(.fox), .message(.said(1, in: .direct(with: .fox))))
        let names = ["fix", "fax", "fox"].map { PeerName.numbered(1, $0) }
        var was = PeerName.fox
        var told: [[ConversationNote.Rename]] = []
        for who in names {
            let changes = chat.tell(.peer(.here, who, was: PeerSighting(was, .here), online: 1))
            #expect(notes(changes, of: .direct(.fox)).map(\.renames) == notes(changes).map(\.renames))
            told += notes(changes).map(\.renames)
            was = who
        }
        #expect(told.map { $0.map(\.was) } == [["fox#1001"], ["fox#1001"], []])
        #expect(told.map { $0.map(\.present) } == [["fix#1001"], ["fax#1001"], []])
        let other = PeerName.numbered(900, "moi")
        let own = notes(chat.tell(.renamed(other, was: .me)))
        #expect(own.last?.renames.map(\.present) == ["moi#1900"])
        #expect(own.last?.renames.map(\.key) == [PeerName.me.key])
    }

    @Test func `the names of a blocked peer leave it, and those of others stay`() {
        var chat = WatchedChat()
        let (fox, owl) = (PeerName.numbered(1, "fix"), PeerName.numbered(2, "howl"))
        chat.tell(.here(.fox), .here(.owl))
        chat.tell(.peer(.here, fox, was: PeerSighting(.fox, .here), online: 2))
        chat.tell(.peer(.here, owl, was: PeerSighting(.owl, .here), online: 2))
        let told = notes(chat.tell(.blocked(fox, isOn: true)))
        #expect(told.map { $0.renames.map(\.key) } == [[PeerName.owl.key]])
        #expect(told.map(\.came) == [2])
        #expect(notes(chat.tell(.blocked(fox, isOn: true))).isEmpty)
    }

    @Test func `notices of bridges are in it, and the others are not; it is bounded`() {
        var chat = WatchedChat()
        let codes: [NoticeCode] = [.bridgeLost, .roomBridged, .clockSkew]
        let told = codes.flatMap { notes(chat.tell(.notice($0, Sentence(.bridgeHere)))) }
        #expect(told.map(\.texts.count) == [1, 2])
        for _ in 0..<100 { chat.tell(.notice(.bridgeLost, Sentence(.bridgeHere))) }
        #expect(chat.model.conversation(.kitchen)?.note.texts.count == ConversationNote.mostTexts)
        for number: UInt64 in 1...2_000 {
            let (was, who) = (PeerName.numbered(number + 1_000), PeerName.numbered(number + 1_000, "other"))
            chat.tell(.peer(.here, who, was: PeerSighting(was, .here), online: 1))
        }
        #expect(chat.model.conversation(.kitchen)?.note.renames.count == ConversationNote.mostRenames)
    }

    @Test func `a bridge that finds no broker makes no room a bridged one`() {
        var chat = WatchedChat()
        let codes: [NoticeCode] = [.bridgeLost, .roomBridged, .bridgeLost, .roomUnbridged, .clockSkew]
        let marks = codes.map { code in
            chat.tell(.notice(code, Sentence(.bridgeHere)))
            return chat.model.room(1)?.isBridged
        }
        #expect(marks == [false, true, true, false, false])
    }
}
