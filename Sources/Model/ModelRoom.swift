package import Chat
import ChatNode
package import Commands
import Phrases
package import Wire

/// A room that the user is in, with its peers and conversations.
package struct ModelRoom: Sendable {
    package let label: RoomLabel
    /// The user; nil before the node is ready.
    package private(set) var me: PeerName?
    /// Of the node; nil before it is ready.
    package private(set) var port: UInt16?
    package private(set) var discovery: DiscoveryMode?
    /// Why no peer may be found; nil if nothing is known to be in the way.
    package private(set) var obstacle: Obstacle?
    /// The user's state and own line.
    package private(set) var status = OwnStatus()
    package private(set) var isPrivate = false
    package private(set) var isBridged = false
    /// The user has left it, and its node says goodbye.
    package internal(set) var isLeaving = false
    /// The peers that are here.
    package private(set) var online = 0
    /// Not each arrival has an event: authors of messages are people too.
    package private(set) var isCrowd = false
    package private(set) var people = People()
    package private(set) var own: ModelConversation
    /// The cards of the notice board, in the order in which they were signed.
    package private(set) var board: [CardView] = []
    /// Those that the program gave its conversations.
    var numbers: [Conversation: Int] = [:]
    private var directs = PackedTable<PeerID, ModelConversation>()

    /// The state that the conversations of all rooms share.
    struct Shared: Sendable {
        var views = ModelViews()
        private var orders = 0
        private var uses: UInt64 = 0

        mutating func nextOrder() -> Int {
            orders += 1
            return orders
        }

        mutating func nextUse() -> UInt64 {
            uses += 1
            return uses
        }
    }

    init(_ label: RoomLabel, _ shared: inout Shared) {
        self.label = label
        own = ModelConversation(ConversationID(label, .publicRoom), order: shared.nextOrder(), .publicRoom)
    }

    /// The room's own conversation, then the direct ones in the order in which they began.
    package var conversations: [ModelConversation] { [own] + directs.values.sorted { $0.order < $1.order } }

    /// The open requests of peers that are not muted, in the order in which their conversations began.
    package var requests: [(who: PeerName, text: String)] {
        conversations.compactMap { conversation in
            guard let text = conversation.request, case .direct(let who) = conversation.view else { return nil }
            return people[who.key]?.isMuted ?? false ? nil : (who, text)
        }
    }

    package func conversation(_ id: ConversationID) -> ModelConversation? {
        guard id.room == label.number else { return nil }
        return id.peer.map { directs[$0] } ?? own
    }
}

/// Events of the node.
extension ModelRoom {
    /// Takes an event that is of this room alone.
    mutating func reduce(
        _ event: NodeEvent, at moment: Moment, _ shared: inout Shared, into changes: inout [ModelChange]
    ) {
        switch event {
        case .message(let message): add(message, &shared, &changes)
        case .ready(let me, let port, room: _, let isPrivate, let discovery):
            (self.port, self.discovery, self.isPrivate) = (port, discovery, isPrivate)
            rename(me, &changes)
        case .peer(let state, let who, let reason, let before, let online):
            self.online = online
            set(who, state, reason, isElsewhere: false, before, at: moment, &changes)
        case .elsewhere(let state, let who, let reason, let before):
            set(who, state, reason, isElsewhere: true, before, at: moment, &changes)
        case .renamed(let me, let was):
            rename(me, &changes)
            foldRename(of: was, to: me, &changes)
        case .status(let status, was: _): set(status, &changes)
        case .person(let row): set(ModelPerson(row), &changes)
        case .blocked(let who, let isOn): setBlocked(who, isOn, &changes)
        case .crowd(let came, let left, let online): move(came: came, left: left, online: online, &changes)
        case .request(let who, let text): open(text, of: who, &shared, &changes)
        case .direct(let change, let who): end(change, with: who, &shared, &changes)
        case .edited(let message): edit(message, &changes)
        case .deleted(let message): remove(message, &changes)
        case .reacted(let reaction): react(reaction, &changes)
        case .card(let card): add(card, &changes)
        case .cardRemoved(let card, _): remove(card, &changes)
        case .delivered(let who, let ids): set(.delivered, ids, with: who, &changes)
        case .read(let who, let ids): set(.read, ids, with: who, &changes)
        case .failed(let who, let messages): set(.failed, messages.map(\.id), with: who, &changes)
        case .typing(let who, let view, let isOn):
            // Peers type in accepted conversations alone, of which one from an earlier run has had no event.
            if isOn, conversation(ConversationID(label, view)) == nil { accept(view, &shared, &changes) }
            setTyping(who, in: ConversationID(label, view), isOn: isOn, &changes)
        case .notice(let code, let sentence): take(code, sentence, &changes)
        // These are of the whole program.
        case .invitation, .stopped: break
        }
    }

    private mutating func move(came: Int, left: Int, online: Int, _ changes: inout [ModelChange]) {
        (self.online, isCrowd) = (online, true)
        changes.append(.moved(label, came: came, left: left))
        fold(&changes) { $0.add(came: came, left: left) }
    }

    private mutating func react(_ reaction: ReactionEvent, _ changes: inout [ModelChange]) {
        let id = ConversationID(label, reaction.message.conversation)
        let position = change(id) { $0.react(reaction) } ?? nil
        changes.append(.reacted(id, reaction, at: position))
    }

    private mutating func take(_ code: NoticeCode, _ sentence: Sentence, _ changes: inout [ModelChange]) {
        if code.isAboutBridge { fold(&changes) { $0.add(sentence.text(in: .english)) } }
        let obstacle = code == .discoveryChanged ? nil : Obstacle(code, sentence) ?? self.obstacle
        if obstacle != self.obstacle {
            self.obstacle = obstacle
            changes.append(.changed(label))
        }
        guard let isBridged = code.isRoomBridged, isBridged != self.isBridged else { return }
        self.isBridged = isBridged
        changes.append(.changed(label))
    }

    private mutating func add(_ message: MessageView, _ shared: inout Shared, _ changes: inout [ModelChange]) {
        let id = ConversationID(label, message.conversation)
        if isCrowd, !message.isFromCurrentUser, people[message.from.key] == nil {
            let author = people.set(message.from, .here, reason: nil, isElsewhere: false, at: message.receivedAt)
            changes.append(.person(label, author.now, was: nil))
        }
        let use = shared.nextUse()
        changeOrMake(message.conversation, &shared, &changes) { conversation, changes in
            conversation.usedAt = use
            if !message.isHistory, conversation.setTyping(message.from, isOn: false) {
                changes.append(.typing(id))
            }
            let (unread, standing, hadRequest) = (
                conversation.unread, conversation.standing, conversation.request != nil
            )
            switch conversation.add(message) {
            case .duplicate: return
            case .tooOld: changes.append(.message(id, message, at: nil, evicted: nil))
            case .kept(let position, let evicted):
                changes.append(.message(id, message, at: position, evicted: evicted))
            }
            if conversation.unread != unread { changes.append(.unread(id, conversation.unread)) }
            if conversation.standing != standing { changes.append(.conversation(id)) }
            if hadRequest { changes.append(.request(id, isOpen: false)) }
        }
    }

    private mutating func edit(_ message: MessageView, _ changes: inout [ModelChange]) {
        let id = ConversationID(label, message.conversation)
        let was = conversation(id)?.log[message.id]?.text
        let position = countingUnread(id, &changes) { $0.edit(message) } ?? nil
        changes.append(.edited(id, message, was: was, at: position))
    }

    private mutating func remove(_ message: MessageView, _ changes: inout [ModelChange]) {
        let id = ConversationID(label, message.conversation)
        let removed = countingUnread(id, &changes) { $0.remove(message.id) } ?? nil
        changes.append(.removed(id, removed?.message ?? message, at: removed?.position))
        changes.append(.erased(.message(id, message.id)))
        endIfEmpty(id, &changes)
    }

    private mutating func add(_ card: CardView, _ changes: inout [ModelChange]) {
        guard !board.contains(where: { $0.id == card.id }), board.count < Limits.cards else { return }
        board.insert(card, at: board.firstIndex { card.order < $0.order } ?? board.count)
        changes.append(.board(label, card, isUp: true))
    }

    private mutating func remove(_ card: CardView, _ changes: inout [ModelChange]) {
        guard let index = board.firstIndex(where: { $0.id == card.id }) else { return }
        changes.append(.board(label, board.remove(at: index), isUp: false))
        changes.append(.erased(.message(own.id, card.id)))
    }

    private mutating func set(
        _ delivery: DeliveryState, _ ids: [MessageID], with who: PeerName, _ changes: inout [ModelChange]
    ) {
        let id = ConversationID(label, .direct(with: who))
        change(id) { conversation in
            let standing = conversation.standing
            for message in ids {
                guard let position = conversation.set(delivery, of: message) else { continue }
                changes.append(.delivery(id, message, delivery, at: position))
            }
            if conversation.standing != standing { changes.append(.conversation(id)) }
        }
    }

    private mutating func setTyping(
        _ who: PeerName, in id: ConversationID, isOn: Bool, _ changes: inout [ModelChange]
    ) {
        if change(id, { $0.setTyping(who, isOn: isOn) }) == true { changes.append(.typing(id)) }
    }
}

/// Peers.
extension ModelRoom {
    private mutating func set(
        _ who: PeerName, _ state: PresenceState, _ reason: String?, isElsewhere: Bool, _ before: PeerSighting?,
        at moment: Moment, _ changes: inout [ModelChange]
    ) {
        let (was, now) = people.set(who, state, reason: reason, isElsewhere: isElsewhere, at: moment.wallClock)
        changes.append(.person(label, now, was: was))
        if was?.who != who { rename(peer: who, &changes) }
        if state == .left { stopTyping(who, &changes) }
        // A peer with an earlier state was here, and did not come.
        if let before {
            foldRename(of: before.who, to: who, &changes)
        } else if was?.isHere ?? false != now.isHere {
            fold(&changes) { $0.add(came: now.isHere ? 1 : 0, left: now.isHere ? 0 : 1) }
        }
    }

    /// Adds to the note of the room's own conversation.
    private mutating func fold(_ changes: inout [ModelChange], _ change: (inout ConversationNote) -> Void) {
        own.fold(change)
        changes.append(.note(own.id, own.note))
    }

    private mutating func foldRename(of was: PeerName, to who: PeerName, _ changes: inout [ModelChange]) {
        changeAll(with: who) { conversation in
            guard conversation.fold({ $0.addRename(of: was, to: who) }) else { return }
            changes.append(.note(conversation.id, conversation.note))
        }
    }

    private mutating func set(_ status: OwnStatus, _ changes: inout [ModelChange]) {
        if (status.state, status.reason) != (self.status.state, self.status.reason) {
            let reason = status.reason.map { Sentence(.nowAwayFor, DisplayGuard.safe($0)) }
            let sentence = status.state == .away ? reason ?? Sentence(.nowAway) : Sentence(.nowBack)
            fold(&changes) { $0.add(sentence.text(in: .english)) }
        }
        self.status = status
        changes.append(.changed(label))
    }

    private mutating func set(_ person: ModelPerson, _ changes: inout [ModelChange]) {
        let was = people[person.who.key]
        people.put(person)
        if was != person { changes.append(.person(label, person, was: was)) }
        if was?.who != person.who { rename(peer: person.who, &changes) }
    }

    private mutating func rename(peer who: PeerName, _ changes: inout [ModelChange]) {
        changeAll(with: who) { if $0.rename(who) { changes.append(.conversation($0.id)) } }
        for index in board.indices where board[index].from.key == who.key {
            board[index].from = board[index].from.renamed(like: who)
        }
    }

    private mutating func stopTyping(_ who: PeerName, _ changes: inout [ModelChange]) {
        changeAll(with: who) { conversation in
            if conversation.setTyping(who, isOn: false) { changes.append(.typing(conversation.id)) }
        }
    }

    private mutating func rename(_ me: PeerName, _ changes: inout [ModelChange]) {
        guard self.me != me else { return }
        let mention = Mention(of: me)
        let isSame = self.me.map { Mention(of: $0) == mention } ?? false
        self.me = me
        changes.append(.changed(label))
        if isSame { return }
        changeAll { conversation in
            let unread = conversation.unread
            conversation.setMention(mention)
            if conversation.unread != unread { changes.append(.unread(conversation.id, conversation.unread)) }
        }
    }

    /// The texts of a peer go when the user blocks it. When that is taken back, a snapshot has them again.
    private mutating func setBlocked(_ who: PeerName, _ isOn: Bool, _ changes: inout [ModelChange]) {
        let person = people.update(who.key) { person in
            person.isBlocked = isOn
            if isOn { person.reason = nil }
        }
        if let person { changes.append(.person(label, person.now, was: person.was)) }
        guard isOn else { return }
        changeAll(with: who) { conversation in
            let unread = conversation.unread
            for message in conversation.log.messages where message.from.key == who.key {
                guard let (message, position) = conversation.remove(message.id) else { continue }
                changes.append(.removed(conversation.id, message, at: position))
            }
            if conversation.unread != unread { changes.append(.unread(conversation.id, conversation.unread)) }
            if conversation.fold({ $0.forget(who.key) }) { changes.append(.note(conversation.id, conversation.note)) }
        }
        stopTyping(who, &changes)
        let id = ConversationID(label, .direct(with: who))
        closeRequest(id, &changes)
        changes.append(.erased(.author(who.key, in: label.number)))
        endIfEmpty(id, &changes)
    }
}

/// Direct conversations.
extension ModelRoom {
    private mutating func open(
        _ text: String, of who: PeerName, _ shared: inout Shared, _ changes: inout [ModelChange]
    ) {
        let id = ConversationID(label, .direct(with: who))
        let use = shared.nextUse()
        changeOrMake(.direct(with: who), &shared, &changes) { conversation, changes in
            conversation.usedAt = use
            conversation.open(request: text)
            changes.append(.request(id, isOpen: true))
        }
        let open = directs.values.filter { $0.request != nil }
        guard open.count > Limits.openRequests, let first = open.min(by: { $0.usedAt < $1.usedAt }) else { return }
        change(first.id) { _ = $0.set(standing: .over) }
        changes.append(.request(first.id, isOpen: false))
        endIfEmpty(first.id, &changes)
    }

    private mutating func end(
        _ change: DirectChange, with who: PeerName, _ shared: inout Shared, _ changes: inout [ModelChange]
    ) {
        let id = ConversationID(label, .direct(with: who))
        let hadRequest = conversation(id)?.request != nil
        if change == .accepted {
            accept(.direct(with: who), &shared, &changes)
        } else if self.change(id, { $0.set(standing: .over) }) == true {
            changes.append(.conversation(id))
        }
        if hadRequest { changes.append(.request(id, isOpen: false)) }
        if change == .declined { changes.append(.erased(.request(id))) }
        endIfEmpty(id, &changes)
    }

    private mutating func accept(
        _ view: ConversationView, _ shared: inout Shared, _ changes: inout [ModelChange]
    ) {
        let id = ConversationID(label, view)
        changeOrMake(view, &shared, &changes) { conversation, changes in
            if conversation.set(standing: .accepted) { changes.append(.conversation(id)) }
        }
    }

    @discardableResult
    private mutating func closeRequest(_ id: ConversationID, _ changes: inout [ModelChange]) -> Bool {
        guard conversation(id)?.request != nil else { return false }
        change(id) { _ = $0.set(standing: .over) }
        changes.append(.request(id, isOpen: false))
        return true
    }

    /// Shows a conversation in a view, or in one less.
    mutating func setActive(
        _ id: ConversationID, _ isOn: Bool, _ shared: inout Shared, into changes: inout [ModelChange]
    ) {
        if isOn, let peer = id.peer, directs[peer] == nil {
            let who = people[peer]?.who ?? PeerName(unknown: peer)
            changeOrMake(.direct(with: who), &shared, &changes) { _, _ in }
        }
        let use = shared.nextUse()
        change(id) { conversation in
            guard conversation.isActive != isOn else { return }
            conversation.usedAt = use
            let unread = conversation.setActive(isOn)
            changes.append(.active(id, isOn: isOn))
            if let unread { changes.append(.unread(id, unread)) }
        }
        if !isOn { endIfEmpty(id, &changes) }
    }

    private mutating func endIfEmpty(_ id: ConversationID, _ changes: inout [ModelChange]) {
        guard let peer = id.peer, let conversation = directs[peer], !conversation.isKept else { return }
        directs[peer] = nil
        changes.append(.conversationEnded(id))
    }

    /// The table is full: the least important one that no view shows ends, and of these the one that was used longest ago.
    private mutating func makePlace(_ changes: inout [ModelChange]) {
        guard directs.count >= Limits.directConversations else { return }
        let candidates = directs.values.filter { !$0.isActive }
        let least = candidates.min { ($0.worth, $0.usedAt) < ($1.worth, $1.usedAt) }
        guard let least, let peer = least.id.peer else { return }
        directs[peer] = nil
        changes.append(.conversationEnded(least.id))
    }
}

/// Snapshots and lists of the node.
extension ModelRoom {
    /// Takes a snapshot: the conversations are those of the snapshot afterwards. The list of peers that type stays.
    mutating func take(_ snapshot: RoomSnapshot, _ shared: inout Shared, into changes: inout [ModelChange]) {
        if case .ready(_, let port, room: _, isPrivate: _, let discovery)? = snapshot.ready {
            (self.port, self.discovery) = (port, discovery)
        }
        let overview = snapshot.overview
        numbers = overview.numbers
        let before = (isPrivate, isBridged, online, status, obstacle)
        (isPrivate, isBridged, online) = (overview.isPrivate, overview.isBridged, overview.online)
        (status, obstacle) = (snapshot.status, snapshot.obstacle)
        rename(overview.me, &changes)
        if before != (isPrivate, isBridged, online, status, obstacle) { changes.append(.changed(label)) }
        takePeople(snapshot.peers, &changes)
        takeConversations(snapshot, &shared, &changes)
        takeBoard(snapshot.cards, &changes)
    }

    private mutating func takeBoard(_ cards: [CardView], _ changes: inout [ModelChange]) {
        let listed = Set(cards.map(\.id))
        for card in board where !listed.contains(card.id) { remove(card, &changes) }
        for card in cards { add(card, &changes) }
    }

    private mutating func takePeople(_ peers: [PeerView], _ changes: inout [ModelChange]) {
        let before = people
        // The rows of a crowd are only some of its peers.
        if peers.count(where: { $0.state != .left && !$0.isElsewhere }) >= online { people = People() }
        for view in peers {
            let person = ModelPerson(view.row)
            people.put(person)
            let was = before[person.who.key]
            if was != person { changes.append(.person(label, person, was: was)) }
            if was?.who != person.who { rename(peer: person.who, &changes) }
        }
    }

    private mutating func takeConversations(
        _ snapshot: RoomSnapshot, _ shared: inout Shared, _ changes: inout [ModelChange]
    ) {
        let overview = snapshot.overview
        let asking = Set(overview.requests.map(\.who.key))
        var listed: Set<ConversationID> = []
        for (summary, history) in zip(overview.conversations, snapshot.histories) {
            let id = ConversationID(label, summary.conversation)
            listed.insert(id)
            changeOrMake(summary.conversation, &shared, &changes) { conversation, changes in
                let before = (conversation.unread, conversation.request)
                // The request of a peer that the user muted is none.
                let isHidden = summary.standing == .requestedByThem && !(id.peer.map(asking.contains) ?? false)
                let standing = isHidden ? DirectStanding.over : summary.standing
                if conversation.set(standing: standing) { changes.append(.conversation(id)) }
                if before.1 != nil, conversation.request == nil { changes.append(.request(id, isOpen: false)) }
                if let taken = conversation.take(history.messages, unread: summary.unread) { changes.append(taken) }
                if conversation.unread != before.0 { changes.append(.unread(id, conversation.unread)) }
            }
        }
        for (who, text) in overview.requests {
            let id = ConversationID(label, .direct(with: who))
            listed.insert(id)
            if conversation(id)?.request == text { continue }
            open(text, of: who, &shared, &changes)
        }
        for conversation in directs.values where !listed.contains(conversation.id) {
            if let forgotten = change(conversation.id, { $0.forget() }) ?? nil { changes.append(forgotten) }
            if conversation.request != nil { changes.append(.request(conversation.id, isOpen: false)) }
            endIfEmpty(conversation.id, &changes)
        }
    }

    /// Takes the stored messages of a conversation, as the answers of commands have them.
    ///
    /// - Parameter opens: whether the conversation is opened, although it may have no message.
    mutating func take(
        _ messages: [MessageView], of view: ConversationView, opens: Bool = false, _ shared: inout Shared,
        into changes: inout [ModelChange]
    ) {
        let id = ConversationID(label, view)
        guard opens || !messages.isEmpty || conversation(id) != nil else { return }
        changeOrMake(view, &shared, &changes) { conversation, changes in
            let unread = conversation.unread
            if let taken = conversation.take(messages) { changes.append(taken) }
            if conversation.unread != unread { changes.append(.unread(id, conversation.unread)) }
        }
    }

    mutating func set(isPrivate: Bool, isBridged: Bool, into changes: inout [ModelChange]) {
        guard (self.isPrivate, self.isBridged) != (isPrivate, isBridged) else { return }
        (self.isPrivate, self.isBridged) = (isPrivate, isBridged)
        changes.append(.changed(label))
    }
}

/// Access to conversations in place.
extension ModelRoom {
    @discardableResult
    private mutating func change<Result>(
        _ id: ConversationID, _ body: (inout ModelConversation) -> Result
    ) -> Result? {
        guard let peer = id.peer else { return body(&own) }
        guard let index = directs.index(forKey: peer) else { return nil }
        return body(&directs.values[index])
    }

    private mutating func countingUnread<Result>(
        _ id: ConversationID, _ changes: inout [ModelChange], _ body: (inout ModelConversation) -> Result
    ) -> Result? {
        change(id) { conversation in
            let unread = conversation.unread
            let result = body(&conversation)
            if conversation.unread != unread { changes.append(.unread(id, conversation.unread)) }
            return result
        }
    }

    private mutating func changeOrMake(
        _ view: ConversationView, _ shared: inout Shared, _ changes: inout [ModelChange],
        _ body: (inout ModelConversation, inout [ModelChange]) -> Void
    ) {
        guard case .direct(let who) = view else { return body(&own, &changes) }
        if directs[who.key] == nil {
            makePlace(&changes)
            let id = ConversationID(label, view)
            directs[who.key] = ModelConversation(id, order: shared.nextOrder(), view)
            changes.append(.conversation(id))
        }
        guard let index = directs.index(forKey: who.key) else { return }
        if directs.values[index].view != view, directs.values[index].rename(who) {
            changes.append(.conversation(directs.values[index].id))
        }
        body(&directs.values[index], &changes)
    }

    /// Changes the conversations that texts of a peer can be in.
    private mutating func changeAll(with who: PeerName, _ body: (inout ModelConversation) -> Void) {
        body(&own)
        if let index = directs.index(forKey: who.key) { body(&directs.values[index]) }
    }

    private mutating func changeAll(_ body: (inout ModelConversation) -> Void) {
        body(&own)
        for index in directs.values.indices { body(&directs.values[index]) }
    }
}

extension ModelConversation {
    /// The loss if it is forgotten, as the node has it.
    fileprivate var worth: Int {
        switch standing {
        case .over: 0
        case .requestedByThem: 1
        case .requestedByUs: 2
        case .accepted: 3
        }
    }
}

extension PeerName {
    /// The name of a peer of which nothing but the key is known.
    fileprivate init(unknown key: PeerID) {
        self.init(number: SenderNumber(of: key).number, suffix: nil, nickname: "", stage: .newcomer, key: key)
    }
}
