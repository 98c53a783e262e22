package import Chat
import ChatNode
package import Commands
package import Model
import Phrases
package import Wire

/// The session of one client of a server, as a value: the hub brings input, answers, events and time, and performs the effects.
package protocol ClientSession: Sendable {
    /// The connection is there.
    mutating func begin(at now: Instant) -> [ClientEffect]
    /// Takes a WebSocket message, or bytes of a stream.
    mutating func receive(_ input: [UInt8], at now: Instant) -> [ClientEffect]
    /// No more input comes; the input before takes effect all the same.
    mutating func end(at now: Instant) -> [ClientEffect]
    /// Nothing reaches the client any more. Requests that it sent before take effect; output is lost.
    mutating func lose(at now: Instant) -> [ClientEffect]
    /// Takes the reports of the command that it asked for: see `ClientEffect`. Nil if the node leaves instead. A second call for
    /// one number changes nothing.
    mutating func complete(_ number: Int, _ reports: [RoomReport]?, at now: Instant) -> [ClientEffect]
    /// Takes an event, in the order in which the events happened.
    mutating func hear(_ event: HubEvent, at now: Instant) -> [ClientEffect]
    /// The client has taken everything that was sent to it.
    mutating func written(at now: Instant) -> [ClientEffect]
    /// Is called at `deadline`.
    mutating func tick(at now: Instant) -> [ClientEffect]
    /// Too many clients have shown the token already. A session that does not close then is let go.
    mutating func turnAway(at now: Instant) -> [ClientEffect]
    /// The node leaves: the last words, as far as the client takes them at once.
    mutating func leave(at now: Instant) -> [ClientEffect]
    /// Continues the session that it asked for by `takePlace`; nil if there is none, or no more.
    mutating func takePlace(of earlier: (any ClientSession)?, at now: Instant) -> [ClientEffect]
    /// Looks at the chat, as it asked for by `ClientEffect.look`.
    mutating func look(at chat: ChatModel, _ now: Instant) -> [ClientEffect]
    /// It is about to get events of the log; its output now goes before them.
    ///
    /// - Parameters:
    ///   - last: the number of the event behind which they are.
    ///   - isResumed: whether that is the one that it named.
    mutating func follow(behind last: Int, isResumed: Bool, at now: Instant) -> [ClientEffect]
    /// An event of the log as its client gets it; nil for one that it does not get.
    func packet(of entry: EventLog.Entry) -> [UInt8]?
    /// The secret by which another session may take its place once its client is gone, and for some time; nil if none may.
    var place: String? { get }
    /// Whether the client is to stay: it has shown the token.
    var hasShownToken: Bool { get }
    /// Whether it is to take events.
    var hearsEvents: Bool { get }
    /// Whether it takes input now.
    var isReading: Bool { get }
    /// Nil if nothing is due.
    var deadline: Instant? { get }
    /// Whether nothing follows.
    var isOver: Bool { get }
}

extension ClientSession {
    package mutating func begin(at now: Instant) -> [ClientEffect] { [] }
    package mutating func lose(at now: Instant) -> [ClientEffect] { end(at: now) }
    package mutating func hear(_ event: HubEvent, at now: Instant) -> [ClientEffect] { [] }
    package mutating func written(at now: Instant) -> [ClientEffect] { [] }
    package mutating func turnAway(at now: Instant) -> [ClientEffect] { [] }
    package mutating func leave(at now: Instant) -> [ClientEffect] { [] }
    package mutating func takePlace(of earlier: (any ClientSession)?, at now: Instant) -> [ClientEffect] { [] }
    package mutating func follow(behind last: Int, isResumed: Bool, at now: Instant) -> [ClientEffect] { [] }
    package mutating func look(at chat: ChatModel, _ now: Instant) -> [ClientEffect] { [] }
    package func packet(of entry: EventLog.Entry) -> [UInt8]? { entry.audience == .sessions ? nil : entry.json }
    package var place: String? { nil }
    package var hearsEvents: Bool { hasShownToken }
    package var isReading: Bool { true }
}

/// An event of the nodes, with its number at the server, and its bytes in the protocols of the clients.
package final class HubEvent {
    /// Increases by one with each event.
    package let number: Int
    package let report: RoomReport
    /// The changes of the chat by the report; none at a server that does not keep the chat.
    package let changes: [ModelChange]
    /// The chat behind the changes; nil at a server that does not keep it.
    package let chat: ChatModel?
    /// Requests that are open again: no event of the node tells it.
    package let requestsAgain: [RoomReport]
    /// The peers of the room whose requests are not open any more.
    package let endedRequests: [PeerID]
    private var rendered: [ObjectIdentifier: [UInt8]] = [:]

    /// - Parameter chat: behind the changes; nil at a server that does not keep it.
    package init(_ report: RoomReport, _ changes: [ModelChange] = [], in chat: ChatModel? = nil, number: Int) {
        (self.report, self.changes, self.chat, self.number) = (report, changes, chat, number)
        var (again, ended, known) = ([RoomReport](), [PeerID](), Set<ConversationID>())
        for case .request(let id, let isOpen) in changes where known.insert(id).inserted {
            // Its event has it.
            if isOpen, case .event(.request) = report.report { continue }
            if let room = chat?.room(id.room), let open = room.requests.first(where: { $0.who.key == id.peer }) {
                again.append(RoomReport(room.label, .event(.request(from: open.who, text: open.text))))
            } else if let peer = id.peer {
                ended.append(peer)
            }
        }
        (requestsAgain, endedRequests) = (again, ended)
    }

    /// Whether the room of the report has ended, while the program goes on.
    package var endsRoom: Bool {
        changes.contains { if case .ended(let room) = $0 { room == report.room } else { false } }
    }

    /// The messages that went without an event of their own, as the author was blocked or the room has ended: at most 1,024.
    package var goneMessages: [MessageView] {
        if case .event(.deleted) = report.report { return [] }
        let gone = changes.lazy.flatMap { change -> [MessageView] in
            switch change {
            case .removed(_, let message, at: .some): [message]
            case .refreshed(_, came: _, let gone): gone
            case .began, .changed, .moved, .ended, .person, .conversation, .conversationEnded, .message, .edited,
                .reacted, .board, .removed, .delivery, .unread, .note, .typing, .request, .invitations, .active,
                .erased:
                []
            }
        }
        return Array(gone.prefix(HubEvent.mostMessages))
    }

    /// The messages that came without an event of their own, as their author is no longer blocked: at most 1,024.
    package var cameMessages: [MessageView] {
        let came = changes.lazy.flatMap { change -> [MessageView] in
            if case .refreshed(_, let came, gone: _) = change { came } else { [] }
        }
        return Array(came.prefix(HubEvent.mostMessages))
    }

    private static let mostMessages = 1_024

    /// The cards that are off a notice board without an event of their own, as the room has ended.
    package var goneCards: [CardView] {
        if case .event(.cardRemoved) = report.report { return [] }
        return changes.compactMap { if case .board(_, let card, isUp: false) = $0 { card } else { nil } }
    }

    /// The bytes that are the same for all clients of a protocol: made once, however many there are.
    package func bytes(for session: (some ClientSession).Type, _ make: () -> [UInt8]) -> [UInt8] {
        if let bytes = rendered[ObjectIdentifier(session)] { return bytes }
        let bytes = make()
        rendered[ObjectIdentifier(session)] = bytes
        return bytes
    }
}

/// An effect of a session.
package enum ClientEffect: Hashable, Sendable {
    /// With its topic, by which it leaves a queue once its text is to be forgotten; nil for bytes without a text.
    case send([UInt8], of: EventTopic?)
    /// Sends bytes around the number of the last event of the log, which the client gets before them.
    case sendNumbered([UInt8], [UInt8])
    /// Asks for the place of the session with this secret, of a client that is gone: see `ClientSession.takePlace`.
    case takePlace(of: String)
    /// Asks for the events of the log: those behind one with a number if they are all kept, otherwise those from now on.
    case follow(behind: Int?)
    /// A command of a client that hears of events: completes with its answer or error alone, nothing for a command without one,
    /// between the events before it and those after.
    case perform(number: Int, Command, in: RequestedRoom)
    /// A request of a client that hears of no events: completes with the events of its command, too.
    case ask(number: Int, ClientQuestion, in: RequestedRoom)
    /// Asks for the chat, once the server has it: see `ClientSession.look`.
    case look
    /// Asks for it in the name of every client.
    case lookAll
    /// Closes the connection once all output is sent.
    case close
    /// The client has not shown the token; to be counted.
    case refused
}

/// A request of a client that hears of no events.
package enum ClientQuestion: Hashable, Sendable {
    case command(Command)
    /// A text for the room that it begins with, if it does.
    case text(String)
    /// The request can not be read.
    case fault(ChatError)
    /// The first reports for a client that hears of all events behind them.
    case tail(withHistory: Bool)
    /// The client's view shows a conversation, which is read then; nil for none.
    case show(ConversationView?, in: RoomLabel)
}

/// The room of a command, as a client names it.
package enum RequestedRoom: Hashable, Sendable {
    case open
    case named(String)
    /// The room of a conversation, which counts as the open one.
    case conversation(ConversationID)
}

extension CommandExecutor {
    /// Performs a request of a session.
    ///
    /// - Parameter deliver: takes the reports of `ClientEffect`; calls behind the first one are void.
    package func perform(_ request: EventHub.Request, _ deliver: @escaping @Sendable ([RoomReport]?) -> Void) async {
        switch request.work {
        case .command(let command): await perform(command, in: request.room, deliver)
        case .question(let question): await answer(question, in: request.room, request.view, deliver)
        }
    }

    package func perform(
        _ command: Command, in room: RequestedRoom, _ deliver: @escaping @Sendable ([RoomReport]?) -> Void
    ) async {
        await perform(command, in: room, deliver, rooms)
    }

    /// Finds the room where the nodes live, so that the commands of a client stay in order.
    private func perform(
        _ command: Command, in room: RequestedRoom, _ deliver: @escaping @Sendable ([RoomReport]?) -> Void,
        _ rooms: isolated Program
    ) async {
        var label: RoomLabel?
        do throws(ChatError) { label = try room.label(in: rooms) } catch {
            return deliver([RoomReport(error, in: rooms.openLabel)])
        }
        let outcome = await obey(command, in: label, at: label.map { _ in room.conversation }, isPaced: true) {
            deliver([$0])
        }
        deliver(outcome == .done ? [] : nil)
    }

    private func answer(
        _ question: ClientQuestion, in room: RequestedRoom, _ view: ViewID,
        _ deliver: @escaping @Sendable ([RoomReport]?) -> Void
    ) async {
        if case .tail(let withHistory) = question {
            await rooms.beginTail(withHistory: withHistory) { deliver($0) }
            return deliver(nil)
        }
        if case .show(let conversation, let label) = question {
            await show(conversation.map { (label, $0) }, in: view)
            return deliver([])
        }
        do throws(ChatError) {
            let (command, label) = try await read(question, in: room, rooms)
            deliver(await reports(of: command, in: label, at: label.map { _ in room.conversation }, view: view))
        } catch {
            deliver([RoomReport(error, in: await rooms.openLabel)])
        }
    }

    private func read(
        _ question: ClientQuestion, in room: RequestedRoom, _ rooms: isolated Program
    ) throws(ChatError) -> (Command, RoomLabel?) {
        let label = try room.label(in: rooms)
        switch question {
        case .command(let command): return (command, label)
        case .text(let text):
            let addressed = AddressedLine(textIn: text, rooms)
            return (.sayToRoom(addressed.text), addressed.room)
        case .fault(let error): throw error
        case .tail, .show: return (.whoami, label)
        }
    }
}

extension RequestedRoom {
    /// - Returns: nil for the open one.
    fileprivate func label(in rooms: isolated Program) throws(ChatError) -> RoomLabel? {
        switch self {
        case .open: return nil
        case .named(let name):
            guard let label = rooms.label(named: name) else { throw ChatError(.unknownRoom, .unknownRoom, name) }
            return label
        case .conversation(let id):
            guard let label = rooms.labels.first(where: { $0.number == id.room }) else {
                throw ChatError(.unknownRoom, .unknownRoom, id.description)
            }
            return label
        }
    }

    fileprivate var conversation: Conversation {
        guard case .conversation(let id) = self else { return .publicRoom }
        return id.conversation
    }
}

extension ConversationID {
    fileprivate var conversation: Conversation { peer.map { .direct($0) } ?? .publicRoom }
}
