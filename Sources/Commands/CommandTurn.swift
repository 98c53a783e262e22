package import Chat
import ChatNode
import Phrases
import Wire

/// How a command ended.
package enum CommandOutcome: Hashable, Sendable {
    case done
    case refused(ChatError.Code)
    /// The program leaves instead.
    case left
}

/// The result of a command, performed in one turn of the nodes.
struct CommandResult: Sendable {
    /// The room of the events and of the reply.
    let room: RoomLabel
    /// Events of the command and of everything before it, not yet delivered elsewhere; in order.
    var events: [NodeEvent] = []
    /// The error, or the answer of a command that asks for something; behind the events.
    var reply: Report?
    /// Of the room's conversations, if the command opened one that had none.
    var numbers: [Conversation: Int]?
    /// Whether the reply was reported between events already.
    var isReported = false
    /// Returns when the change of the command is stored, or can not be; nil if none is to be stored.
    var stored: (@Sendable () async -> Void)?
    /// As far as the command's entry says it.
    var changes = CommandEntry.Scope.events

    var report: RoomReport? { reply.map { RoomReport(room, $0, numbers: numbers) } }

    /// The conversation that the command opened.
    var opening: Opening? { reply?.content(Opening.self) }

    var isDone: Bool { outcome == .done }

    var outcome: CommandOutcome {
        if case .error(let error) = reply { .refused(error.code) } else { .done }
    }

    /// The part of the chat that a command changed and no event tells.
    var scope: CommandEntry.Scope {
        // The request of the peer is a message now.
        for case .direct(.accepted, with: _) in events { return .room }
        return changes
    }
}

/// A change of the state that is kept with an identity for later runs.
package enum KeptChange: Hashable, Sendable {
    case marks(PeerMarks)
    case nickname(String)
    /// Nil for none.
    case about(String?)
}

/// One command in a turn of a room's node: the state that its entry reads, and the changes that it leaves behind its events and its answer.
struct CommandTurn {
    /// The room of the command; that of the answer, if the command sets it.
    var room: Program.JoinedRoom
    let command: Command
    /// The one that counts as open.
    let conversation: Conversation
    /// The view in which it opens a conversation; nil for none.
    let view: ViewID?
    /// Whether a user types the commands.
    let isTyped: Bool
    /// Whether marks that are set here outlast the program.
    let keepsMarks: Bool
    /// The change to store with the identity.
    var change: KeptChange?
    /// Returns when the change of the command is stored, or can not be.
    var stored: (@Sendable () async -> Void)?

    /// - Parameter conversation: nil for the one that the node has open.
    init(
        _ command: Command, at conversation: Conversation? = nil, in room: Program.JoinedRoom, view: ViewID? = .shared,
        isTyped: Bool = false, keepsMarks: Bool = false
    ) {
        (self.room, self.command, self.view, self.isTyped) = (room, command, view, isTyped)
        self.keepsMarks = keepsMarks
        self.conversation = conversation ?? Conversation(room.node.chat.activeView)
    }

    var node: Node { room.node }
    var operands: Operands { command.operands }

    /// Runs the command. Its events have been delivered when this returns.
    mutating func result(
        _ run: (inout CommandTurn) throws(ChatError) -> Answer?
    ) -> CommandResult {
        let asked = room
        do throws(ChatError) {
            let answer = try run(&self)
            let events = room.node.flushEvents()
            let told = events.contains(where: \.isOfUser) ? answer?.told : answer
            return CommandResult(
                room: room.label, events: events, reply: told.map(Report.answer), stored: stored,
                changes: command.entry.changes)
        } catch {
            return CommandResult(room: asked.label, events: asked.node.flushEvents(), reply: .error(error))
        }
    }

    /// The peer that the operand `who` names, of those that the command is about.
    func peer() throws(ChatError) -> PeerID {
        for operand in command.entry.operands {
            if case .who(let meant) = operand.kind { return try node.chat.find(operands.who, among: meant) }
        }
        return try node.chat.find(operands.who)
    }

    /// Performs an action, whose event is its answer.
    func perform(_ action: UserAction) throws(ChatError) -> Answer? {
        try node.perform(action)
        return nil
    }

    /// Says a text to a peer.
    func say(_ text: String, to peer: PeerID, replyTo target: String? = nil) throws(ChatError) -> Answer? {
        try perform(.send(SlashRule.said(text), to: .direct(peer), replyTo: target))
    }

    /// The answer of a command that is done, for the user or a peer.
    func done(_ who: PeerName) -> Answer { .done(command: command.entry.name, who) }

    /// Opens a conversation of the room; in a view of its own, the executor shows it.
    func open(_ conversation: Conversation, by name: String) -> Answer {
        if view == .shared { node.change(.open(conversation)) }
        return .active(
            command: name, node.chat.view(conversation), recent: node.chat.messages(in: conversation))
    }
}

extension Conversation {
    package init(_ view: ConversationView) {
        switch view {
        case .publicRoom: self = .publicRoom
        case .direct(let who): self = .direct(who.key)
        }
    }
}
