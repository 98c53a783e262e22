import Chat
import ChatNode
import Wire

/// Does what a command asks of a node, in one turn of the node.
extension Node {
    /// - Parameters:
    ///   - keep: takes what is remembered of peers, when that has changed and before it is answered.
    ///   - report: takes what the command is told, which is its error or what it asked for, behind every event
    ///     that came of it and of what was before it, and before any that is still to come.
    /// - Returns: whether it was done.
    @discardableResult
    func perform(
        _ command: Command, keep: @Sendable (PeerMarks) -> Void = { _ in }, report: @Sendable (Report) -> Void
    ) -> Bool {
        let (_, reply) = carryOut(command, keep: keep)
        if let reply { report(reply) }
        if case .error = reply { return false }
        return true
    }

    /// The same for who hears nothing else of the node: with the events that came of the command, before its answer or
    /// error.
    func performApart(_ command: Command, keep: @Sendable (PeerMarks) -> Void = { _ in }) -> [Report] {
        flushEvents()
        let (events, reply) = carryOut(command, keep: keep)
        return events.map(Report.event) + [reply].compactMap(\.self)
    }

    /// What a tail begins with. Nothing of it is told after this, and what comes after this is told.
    func beginTail(withHistory: Bool) -> [Report] {
        flushEvents()
        let ready = introduction().map(Report.event)
        let kept = withHistory ? Report.answer(.history(.publicRoom, history(.publicRoom))) : nil
        return [ready, kept].compactMap(\.self)
    }

    /// Does `body` in one turn.
    func inTurn<Result: Sendable>(_ body: @Sendable (isolated Node) -> Result) -> Result { body(self) }

    /// Waits until something may be sent, and does `body` in the same turn, so that nobody is quicker.
    ///
    /// - Returns: nil if the node leaves instead.
    func whenMaySend<Result: Sendable>(_ body: @Sendable (isolated Node) -> Result) async -> Result? {
        guard await waitUntilMaySend() else { return nil }
        return body(self)
    }

    /// What is told of it, and the answer or the error behind that.
    private func carryOut(
        _ command: Command, keep: @Sendable (PeerMarks) -> Void
    ) -> (events: [NodeEvent], reply: Report?) {
        do throws(ChatError) {
            let answer = try answer(to: command)
            if command.changesMarks { keep(marks) }
            return (flushEvents(), answer.map(Report.answer))
        } catch {
            return (flushEvents(), .error(error))
        }
    }

    /// Nil where the node's events tell what happened.
    private func answer(to command: Command) throws(ChatError) -> Answer? {
        switch command {
        case .say(let text): try send(text)
        case .announce(let text): try say(text)
        case .act(let text): try send("* \(me().nickname) \(text)")
        case .message(let who, let text): try direct(to: find(who), text)
        case .accept(let who): try accept(find(who))
        case .decline(let who): try decline(find(who))
        case .leave(let who): try leave(find(who))
        case .edit(let target, let text): try change(target, text)
        case .delete(let target): try delete(target)
        case .who: return .peers(peers())
        case .requests: return .requests(requests())
        case .unread: return .unread(summaries())
        case .history(let who): return try answer(historyWith: who)
        case .openPublic, .close: return lookAtPublic(command == .close ? "close" : "open")
        case .open(let who):
            open(.direct(try find(who)))
            return .active(command: "open", activeConversation)
        case .rename(let nickname):
            try rename(nickname)
            return .done(command: "nick", me())
        case .typing(let isOn): setTyping(isOn)
        case .away: return tell(isAway: true, "away")
        case .back: return tell(isAway: false, "back")
        case .mark(let mark, let who): return answer(to: mark, try find(who))
        case .verify(let who, let isVerified): return try verify(find(who), isVerified)
        case .statistics: return .statistics(statistics())
        case .help: return .help(CommandEntry.all)
        case .quit, .wipe: beginLeaving()
        }
        return nil
    }

    /// A first word that has no digit may be an id and may be a word ("defaced"): it is an id if there is such a message.
    private func change(_ target: String?, _ text: String) throws(ChatError) {
        do throws(ChatError) {
            try edit(target, text)
        } catch {
            guard error.code == .unknownMessage, let target, !target.contains(where: \.isNumber) else { throw error }
            try edit(nil, "\(target) \(text)")
        }
    }

    private func lookAtPublic(_ name: String) -> Answer {
        close()
        return .active(command: name, activeConversation)
    }

    private func tell(isAway: Bool, _ name: String) -> Answer {
        setAway(isAway)
        return .done(command: name, me())
    }

    private func answer(historyWith name: String?) throws(ChatError) -> Answer {
        guard let name else {
            let active = activeConversation
            return .history(active, history(Conversation(active)))
        }
        let peer = try find(name)
        return .history(.direct(with: who(peer)), history(.direct(peer)))
    }

    private func verify(_ peer: PeerID, _ isVerified: Bool?) -> Answer {
        if let isVerified { setVerified(peer, isVerified) }
        return .verification(
            who(peer), code: verificationCode(with: peer).text, isVerified: marks.verified.contains(peer), isKept: false
        )
    }

    private func answer(to mark: Command.Mark, _ peer: PeerID) -> Answer {
        let who = who(peer)
        switch mark {
        case .mute: setMuted(peer, true)
        case .unmute: setMuted(peer, false)
        case .block: setBlocked(peer, true)
        case .unblock: setBlocked(peer, false)
        }
        return .done(command: mark.rawValue, who)
    }
}

extension Conversation {
    init(_ view: ConversationView) {
        switch view {
        case .publicRoom: self = .publicRoom
        case .direct(let who): self = .direct(who.key)
        }
    }
}
