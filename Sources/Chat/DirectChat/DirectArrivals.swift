internal import Wire

/// Payloads of the peer.
extension DirectChat {
    /// Receives a request, or a text without an accepted conversation. A request that crosses ours, or comes after our
    /// acceptance, needs no further consent; a second text of an open request is not shown.
    ///
    /// - Parameter isReported: whether a new request is reported live; one that is not is only listed.
    mutating func receiveRequest(_ message: Message, isReported: Bool = true) -> DirectStep {
        switch state {
        case .none, .left:
            // The queue is from before we left: sent again, it would be taken for consent.
            let lost = fail(queue.giveUp(keepingSent: false))
            (state, hidden) = (.requestedByThem(message), nil)
            isRequestReported = isReported
            return DirectStep(failed: lost, shown: isReported ? .request(message.content) : nil)
        case .requestedByUs:
            // It is in the place of one that was hidden, which its author has given up.
            hidden = nil
            return DirectStep(change: accept(), shown: show(message), reply: .acceptance)
        case .accepted:
            // The peer did not take what came before it agreed by this request.
            queue.rewindToRequest()
            return DirectStep(shown: show(message), reply: .acceptance)
        case .requestedByThem, .declined:
            // The open one itself comes again on each new link.
            if message.id != request?.id { hidden = message }
            return .nothing
        }
    }

    /// Receives a text. If we asked, the text is the acceptance.
    mutating func receiveMessage(_ message: Message) -> DirectStep {
        switch state {
        case .accepted:
            return DirectStep(shown: show(message))
        case .requestedByUs:
            return DirectStep(change: accept(), late: takeHidden(), shown: show(message))
        case .left:
            return DirectStep(reply: .departure)
        case .none, .requestedByThem, .declined:
            return .nothing
        }
    }

    /// Receives an invitation, which no stranger can send.
    mutating func receive(_ invitation: Invitation, _ id: MessageID) -> DirectStep {
        switch state {
        case .accepted:
            recordReceived(id)
            return DirectStep(shown: .invitation(invitation))
        case .requestedByUs:
            recordReceived(id)
            return DirectStep(change: accept(), late: takeHidden(), shown: .invitation(invitation))
        case .left:
            return DirectStep(reply: .departure)
        case .none, .requestedByThem, .declined:
            return .nothing
        }
    }

    /// Receives a request or a text again that is here: its sender lacks our receipt.
    mutating func receiveAgain(_ id: MessageID, isRequest: Bool) -> DirectStep {
        switch state {
        case .accepted, .requestedByUs:
            recordReceived(id)
            if isRequest { hidden = nil }
            return DirectStep(
                change: state == .accepted ? nil : accept(), late: takeHidden(), reply: isRequest ? .acceptance : nil)
        case .left:
            return DirectStep(reply: .departure)
        case .none, .requestedByThem, .declined:
            return .nothing
        }
    }

    /// Acknowledges a payload that is not shown: its author is muted, deleted it before it came, or only changes a
    /// message. If our request is open, its author may have accepted it already.
    mutating func receiveSilently(_ id: MessageID) {
        switch state {
        case .accepted, .requestedByUs: recordReceived(id)
        case .none, .requestedByThem, .declined, .left: return
        }
    }

    /// Receives an acceptance, perhaps again: the peer may not have taken what was sent before it.
    mutating func receiveAcceptance() -> DirectStep {
        switch state {
        case .requestedByUs, .accepted:
            queue.rewindToRequest()
            return DirectStep(change: state == .accepted ? nil : accept(), late: takeHidden())
        case .left:
            return DirectStep(reply: .departure)
        case .none, .requestedByThem, .declined:
            return .nothing
        }
    }

    /// Receives the end of the conversation, or the withdrawal of the peer's request.
    mutating func receiveDeparture() -> DirectStep {
        hidden = nil
        switch state {
        case .requestedByUs, .requestedByThem, .accepted:
            // The user does not know of a request that was not reported.
            let isNews = request == nil || isRequestReported
            state = .left
            return DirectStep(change: isNews ? .left : nil, failed: fail(queue.giveUp(keepingSent: false)))
        case .none, .declined, .left:
            return .nothing
        }
    }

    /// Receives a receipt, and reports the messages whose delivery state it changes. A receipt for a request implies
    /// its acceptance.
    mutating func receiveReceipt(_ ids: [MessageID], _ delivery: DeliveryState) -> DirectStep {
        // A user that sends no read receipts is not shown those of others: they count as delivery receipts.
        let delivery = sendsReadReceipts ? delivery : .delivered
        let news = ids.filter { id in
            let isNew = queue.acknowledge(id) || self.delivery(of: id)?.canBecome(delivery) == true
            if isNew { recordOutcome(delivery, of: [id]) }
            return isNew
        }
        var step = state == .requestedByUs && !queue.hasRequest ? receiveAcceptance() : .nothing
        guard !news.isEmpty else { return step }
        step.acknowledged = (news, delivery)
        return step
    }

    private mutating func accept() -> DirectChange {
        state = .accepted
        return .accepted
    }
}
