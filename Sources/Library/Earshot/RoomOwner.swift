package import Chat
package import ChatNode
internal import Wire

/// Owns the node of one room, on the executor of the node.
package actor RoomOwner: LoopActor {
    /// Makes and starts the node, in the isolation of the owner.
    package typealias Maker =
        @Sendable (_ deliver: @escaping @Sendable ([NodeEvent]) -> Void) throws(JoinError) -> Node

    package nonisolated let scheduler: any Scheduler
    nonisolated let buffer = EventBuffer()
    /// Nil before the start and after the end.
    private var node: Node?
    private var beginning: CheckedContinuation<Void, Never>?
    private var isReady = false
    /// Nil until the node has ended.
    private var reason: StopReason?

    package init(on scheduler: any Scheduler) { self.scheduler = scheduler }

    /// Starts the node, and returns when it is in the room.
    package func start(_ make: Maker) async throws(JoinError) {
        let node = try make(callback { $0.take($1) })
        self.node = node
        // The node may be ready, or have ended, before the caller waits.
        while !isReady, reason == nil { await withCheckedContinuation { wait($0) } }
        switch reason {
        case nil: return
        case .failed(let why): throw JoinError(.failed, why)
        case .asked, .signedOut:
            throw JoinError(.ended, "the node has ended: another join has the identity in this room")
        }
    }

    private func take(_ events: [NodeEvent]) {
        buffer.append(events)
        for event in events {
            if case .ready = event { isReady = true }
            guard case .stopped(let reason) = event else { continue }
            self.reason = reason
            buffer.finish()
            node = nil
        }
        guard isReady || reason != nil else { return }
        beginning?.resume()
        beginning = nil
    }

    private func wait(_ caller: CheckedContinuation<Void, Never>) {
        if isReady || reason != nil { caller.resume() } else { beginning = caller }
    }

    /// Leaves politely, and returns when the node has ended. Once it has, this returns at once.
    package func leave() async {
        guard let node else { return }
        node.beginLeaving()
        await node.awaitEnd()
    }

    /// Performs an action when the own rate and the queues of peers permit it.
    ///
    /// - Parameter pace: its cost in the own rate; nil for none.
    /// - Returns: its events.
    func perform(_ action: UserAction, _ pace: Pace? = .messages(1)) async throws -> [NodeEvent] {
        while let node {
            if let pace, !(await node.waitUntilMaySend(pace)) { break }
            try Task.checkCancellation()
            do throws(ChatError) {
                try node.perform(action)
                return node.flushEvents()
            } catch {
                // Another caller that waited has taken the token.
                guard error.code == .rateLimited, pace != nil else { throw SendError(error) }
            }
        }
        throw SendError.ended
    }

    func change(_ change: UserChange) { node?.change(change) }

    func port() -> UInt16? {
        guard case .ready(_, let port, _, _, _) = node?.readyEvent() else { return nil }
        return port
    }

    func me() -> Person? {
        guard let node else { return nil }
        let status = node.chat.session.status
        return Person(node.chat.ownName, Person.Presence(status.state, reason: status.reason))
    }

    func people() -> [Person] {
        node?.peers().filter { $0.state != .left && !$0.isElsewhere }.map { Person($0.row) } ?? []
    }

    func person(id: String) -> Person? {
        guard let key = PeerID(hexadecimal: id) else { return nil }
        return node?.person(key).map { Person($0.row) }
    }

    func person(number: Int) -> Person? {
        guard let node, let key = try? node.chat.find("#\(number)") else { return nil }
        return node.person(key).map { Person($0.row) }
    }

    /// The peers of accepted direct conversations, the one used last first.
    func correspondents() -> [Person] {
        let summaries = node?.chat.summaries.filter { $0.standing == .accepted } ?? []
        return summaries.compactMap { if case .direct(let who) = $0.conversation { person(who) } else { nil } }
    }

    func requests() -> [(person: Person, text: String)] {
        node?.requests().map { (person($0.who), $0.text) } ?? []
    }

    private func person(_ who: PeerName) -> Person { node?.person(who.key).map { Person($0.row) } ?? Person(who) }

    func messages(in conversation: Chat.Conversation) -> [MessageView] { node?.chat.messages(in: conversation) ?? [] }
}
