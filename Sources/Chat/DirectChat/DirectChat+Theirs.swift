internal import Wire

/// What the peer did.
extension DirectChat {
    /// Their request, or a first text of theirs. One that meets ours, or one after we accepted, needs no second yes; a
    /// second text of an open request is not shown: nothing more is delivered until we accept.
    mutating func receiveRequest(_ message: Message) -> DirectStep {
        switch state {
        case .none, .left:
            // What is left of ours is from before we left: sent again, it would be taken for our consent.
            let lost = fail(queue.giveUp(keepingSent: false))
            state = .requestedByThem(message)
            return DirectStep(events: lost + [.request(from: peer, text: message.content)])
        case .requestedByUs:
            return DirectStep(events: accepted() + show(message), reply: .acceptance)
        case .accepted:
            return DirectStep(events: show(message), reply: .acceptance)
        case .requestedByThem, .declined:
            return .nothing
        }
    }

    /// A text of theirs. Whoever we asked may speak at once: that it does is its acceptance.
    mutating func receiveMessage(_ message: Message) -> DirectStep {
        switch state {
        case .accepted:
            return DirectStep(events: show(message))
        case .requestedByUs:
            return DirectStep(events: accepted() + show(message))
        case .left:
            return DirectStep(reply: .departure)
        case .none, .requestedByThem, .declined:
            return .nothing
        }
    }

    /// A request or a text that we have: they do not know that, or they would not send it again.
    mutating func receiveAgain(_ id: MessageID, isRequest: Bool) -> DirectStep {
        switch state {
        case .accepted, .requestedByUs:
            take(id)
            return DirectStep(events: state == .accepted ? [] : accepted(), reply: isRequest ? .acceptance : nil)
        case .left:
            return DirectStep(reply: .departure)
        case .none, .requestedByThem, .declined:
            return .nothing
        }
    }

    /// Something of theirs that is acknowledged and not shown: they are muted, or took it back before it came, or it
    /// only changes a message. Whoever we asked may know already that it has accepted.
    mutating func receiveSilently(_ id: MessageID) {
        switch state {
        case .accepted, .requestedByUs: take(id)
        case .none, .requestedByThem, .declined, .left: return
        }
    }

    /// They accepted, or do not know that they have: what we said since then may not have been taken.
    mutating func receiveAcceptance() -> DirectStep {
        switch state {
        case .requestedByUs, .accepted:
            queue.rewindToRequest()
            return DirectStep(events: state == .accepted ? [] : accepted())
        case .left:
            return DirectStep(reply: .departure)
        case .none, .requestedByThem, .declined:
            return .nothing
        }
    }

    /// They left, or took their request back.
    mutating func receiveDeparture() -> DirectStep {
        switch state {
        case .requestedByUs, .requestedByThem, .accepted:
            state = .left
            return DirectStep(events: [.direct(.left, with: peer)] + fail(queue.giveUp(keepingSent: false)))
        case .none, .declined, .left:
            return .nothing
        }
    }

    /// They tell that payloads of ours came, or were read; told on are the messages that were not known to have come as
    /// far. Nobody acknowledges a request without having accepted it.
    mutating func receiveReceipt(_ ids: [MessageID], _ delivery: Delivery) -> DirectStep {
        // Who does not tell what it has read is not shown what others have: that it came is all that it learns.
        let delivery = tellsReading ? delivery : .delivered
        let news = ids.filter { id in
            let isNew = queue.acknowledge(id) || self.delivery(of: id)?.canBecome(delivery) == true
            if isNew { recordOutcome(delivery, of: [id]) }
            return isNew
        }
        var step = state == .requestedByUs && !queue.hasRequest ? receiveAcceptance() : .nothing
        guard !news.isEmpty else { return step }
        step.events.append(delivery == .read ? .read(with: peer, ids: news) : .delivered(with: peer, ids: news))
        return step
    }

    private mutating func accepted() -> [ChatEvent] {
        state = .accepted
        return [.direct(.accepted, with: peer)]
    }
}
