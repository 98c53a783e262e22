import ChatNode
import Commands
import Hub
import TestSupport
import Testing
import Wire

@testable import Chat
@testable import Model
@testable import WebFace

/// The rows that clients of streams get behind the events of a turn.
@Suite struct ChangedRowsTests {
    private func follow(_ events: NodeEvent...) throws -> (rows: ChangedRows, model: ChatModel) {
        var (rows, model) = (ChangedRows(), ChatModel())
        for event in events {
            let isMessage = if case .message = event { true } else { false }
            let changes = model.reduce(
                RoomReport(.lobby, .event(event)), at: Moment(instant: Instant(nanoseconds: 0), wallClock: Sample.time))
            for change in changes { rows.follow(change, tellsPeople: !isMessage) }
        }
        return (rows, model)
    }

    @Test func `a row comes once for a turn, and a note as it is at its end`() throws {
        let who = try Sample.who()
        var (rows, model) = try follow(
            .peer(.here, who, online: 1), .peer(.left, who, online: 0), .peer(.here, who, online: 1))
        let lobby = ConversationID(.lobby, .publicRoom)
        let notes = rows.takeNotes()
        #expect(notes.map(\.1) == [model.conversation(lobby)?.note])
        #expect(notes.first.map { [$0.1.came, $0.1.left] } == [2, 1])
        #expect(rows.hasConversation(lobby))
        let taken = rows.takeRows()
        // A room that begins is shown at once.
        #expect(taken == [.conversation(lobby), .person(.lobby, who.key)])
        #expect(rows.takeRows().isEmpty && rows.takeNotes().isEmpty)
    }

    @Test func `a request that ends has a row, whatever ended it`() throws {
        let who = try Sample.who()
        let id = ConversationID(.lobby, .direct(with: who))
        let ends: [NodeEvent] = [
            .direct(.declined, with: who), .direct(.accepted, with: who), .blocked(who, isOn: true),
            .message(try Sample.said("yes", by: who, in: .direct(with: who))),
        ]
        for end in ends {
            var (rows, _) = try follow(.request(from: who, text: "may I?"), end)
            #expect(rows.takeRows().contains(.request(id)), "\(end)")
        }
    }

    @Test func `a conversation that a view begins or ends to show has a row`() throws {
        var (rows, model) = try follow(.peer(.here, try Sample.who(), online: 1))
        _ = rows.takeRows()
        let view = ViewID(1)
        for place in [ConversationView.publicRoom, nil] {
            let changes = model.reduce(
                RoomReport(.lobby, .viewed(place, by: view)),
                at: Moment(instant: Instant(nanoseconds: 0), wallClock: Sample.time))
            for change in changes { rows.follow(change, tellsPeople: true) }
        }
        #expect(rows.takeRows().isEmpty, "the shared view shows it all the time")
        for view in [ViewID.shared, view] {
            let changes = model.reduce(
                RoomReport(.lobby, .viewed(view == .shared ? nil : .publicRoom, by: view)),
                at: Moment(instant: Instant(nanoseconds: 0), wallClock: Sample.time))
            for change in changes { rows.follow(change, tellsPeople: true) }
            #expect(rows.takeRows() == [.conversation(ConversationID(.lobby, .publicRoom))])
        }
    }

    @Test func `the event of a note has its members, and says which rename is the user's`() throws {
        let (me, who) = (try Sample.who(), try Sample.who(byte: 0xcd))
        let other = PeerName(number: 1, suffix: nil, nickname: "other", stage: .newcomer, key: me.key)
        let (_, model) = try follow(
            .ready(me: me, port: 1, room: "lobby", discovery: .none), .renamed(other, was: me),
            .peer(.here, who, online: 1))
        let room = try #require(model.room(RoomLabel.lobby.number))
        let event = try TestedJSON(parsing: WebJSON.note(room.own.note, of: room.own.id, in: room, "x-1"))
        #expect(event["event"]?.text == "note" && event["seq"]?.text == "x-1")
        #expect(event["conversationId"]?.text == "\(room.own.id)")
        #expect(event["renames"]?[0]?["own"] == .bool(true))
        #expect(event["renames"]?[0]?["is"]?.text == other.displayName)
    }
}
