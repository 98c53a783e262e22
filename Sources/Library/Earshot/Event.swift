internal import Chat
internal import ChatNode
internal import Phrases

/// Something that happened in a room.
public enum Event: Sendable {
    /// A message was said to the room now, by another person or by this user.
    case message(Message)
    /// A message was said in a direct conversation.
    case direct(Message)
    /// A message came from the memory of a peer: it was said before this user came or, where `Message.isMissed`, while this node
    /// had no connection to its author.
    case history(Message)
    /// A person asks for a direct conversation.
    case request(Request)
    /// A direct conversation was accepted, by this user or the person.
    case began(Conversation)
    /// A direct conversation is over, or its request was declined.
    case ended(Conversation)
    /// A person was met: one that came, one that was there before this user, and one whose connection was lost for long.
    case arrived(Person)
    /// A person left the room.
    case left(Person)
    /// A person has another name or presence; the value has the new ones.
    case changed(Person)
    /// A message has another text.
    case edited(Message)
    /// A message was deleted; its text is gone.
    case deleted(Message)
    /// A person gives a message these emojis, and no others any more: none if it took them back. The message has all reactions to it.
    case reacted(Message, by: Person, emojis: [String])
    /// Direct messages of this user reached the person.
    case delivered([Message.ID], to: Person)
    /// Direct messages of this user were read; only where both sides send read receipts.
    case read([Message.ID], by: Person)
    /// Direct messages of this user were given up.
    case failed([Message.ID], to: Person)
    /// A person begins or ceases to type. It is reported to cease 6 s after the last sign of it.
    case typing(Person, in: Conversation, isOn: Bool)
    /// A warning about the network or the room: a code of Docs/JSON.md, and a line for people.
    case notice(code: String, text: String)
    /// The reader was too slow: this many events were dropped, which were older than the next one.
    case missed(Int)
    /// The last event: the node has ended.
    case stopped(Stop)

    /// The reason why a node has ended.
    public enum Stop: Sendable, Hashable {
        /// The program has left the room.
        case left
        /// Another join has the identity in this room, in this process or another. Joining again would end its membership.
        case signedOut
        /// An error, as a line for people. A later `Room.join` may succeed.
        case failed(String)
    }
}

extension Event {
    /// Whether an event of a node has a form here.
    static func isShown(_ event: NodeEvent) -> Bool {
        switch event {
        case .ready, .renamed, .status, .person, .blocked, .crowd, .elsewhere, .invitation, .card, .cardRemoved: false
        case .peer, .message, .request, .direct, .edited, .deleted, .reacted, .delivered, .read, .failed, .typing,
            .notice, .stopped:
            true
        }
    }

    /// Nil for an event that is not shown.
    init?(_ event: NodeEvent, in room: Room) {
        switch event {
        case .peer(let state, let who, let reason, let was, online: _):
            let person = Person(who, Person.Presence(state, reason: reason))
            self = state == .left ? .left(person) : was == nil ? .arrived(person) : .changed(person)
        case .message(let view): self = Event(view, in: room)
        case .request(let who, let text): self = .request(Request(room: room, person: Person(who), text: text))
        case .direct(let change, let who):
            let conversation = Conversation(room, with: Person(who))
            self = change == .accepted ? .began(conversation) : .ended(conversation)
        case .edited(let view): self = .edited(Message(view, in: room))
        case .deleted(let view): self = .deleted(Message(view, in: room))
        case .reacted(let event):
            self = .reacted(Message(event.message, in: room), by: Person(event.by), emojis: event.emojis)
        case .delivered(let who, let ids): self = .delivered(ids.map { Message.ID(value: $0) }, to: Person(who))
        case .read(let who, let ids): self = .read(ids.map { Message.ID(value: $0) }, by: Person(who))
        case .failed(let who, let lost): self = .failed(lost.map { Message.ID(value: $0.id) }, to: Person(who))
        case .typing(let who, let view, let isOn):
            self = .typing(Person(who), in: Conversation(view, in: room), isOn: isOn)
        case .notice(let code, let sentence): self = .notice(code: code.rawValue, text: sentence.text(in: .english))
        case .stopped(let reason): self = .stopped(Stop(reason))
        case .ready, .renamed, .status, .person, .blocked, .crowd, .elsewhere, .invitation, .card, .cardRemoved:
            return nil
        }
    }

    private init(_ view: MessageView, in room: Room) {
        let message = Message(view, in: room)
        self =
            message.conversation.person != nil
            ? .direct(message) : view.isHistory ? .history(message) : .message(message)
    }
}

extension Event.Stop {
    init(_ reason: StopReason) {
        switch reason {
        case .asked: self = .left
        case .signedOut: self = .signedOut
        case .failed(let why): self = .failed(why)
        }
    }
}
