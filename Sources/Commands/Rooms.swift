package import Chat
package import ChatNode
import Phrases
import Synchronization
package import Wire

/// The rooms that the program is in, each with its node, and the one whose conversation is open.
///
/// `/wipe` ends all of them; a node of another identity begins then.
package final class Rooms: Sendable {
    package struct Room: Sendable {
        package let label: RoomLabel
        package let node: Node
    }

    private struct State {
        /// In the order in which they were joined; without those that are being left.
        var rooms: [Room] = []
        /// Rooms without a node yet, or with one that is leaving; they count as rooms, and keep their names.
        var others: [RoomLabel: Node?] = [:]
        var open: RoomLabel?
        var lastNumber = 0
        /// Callers that wait for a room to be ready.
        var beginners: [RoomLabel: CheckedContinuation<Bool, Never>] = [:]
        /// Rooms that are ready, and that no caller has waited for since.
        var ready: Set<RoomLabel> = []
        var invitations = Invitations()
        var isWiping = false
        /// The memory of the nodes that `/wipe` ends.
        var forgotten: MemoryUsage?
        /// The answer of a wipe that is done.
        var told: Answer?
        var waiting: [CheckedContinuation<Answer?, Never>] = []
    }

    /// The step of a wipe at the time of a second request.
    private enum WipeStep { case begins, isUnderWay, isDone }

    private let state = Mutex(State())

    package init() {}

    /// The open room; nil before the first one and after the last one. Its node is not to be kept: what was wiped is gone
    /// when the last reference to it is.
    package var open: Room? {
        state.withLock { state in state.rooms.first { $0.label == state.open } ?? state.rooms.first }
    }

    /// The rooms in the order in which they were joined.
    package var all: [Room] { state.withLock { $0.rooms } }

    /// Whether no node runs, leaves or begins.
    package var isEmpty: Bool { state.withLock { $0.rooms.isEmpty && $0.others.isEmpty } }

    /// Whether the nodes end because of `/wipe`.
    package var isWiping: Bool { state.withLock { $0.isWiping } }

    /// The room with a name, in any case of letters where no other name differs in that alone.
    package func named(_ name: some StringProtocol) -> Room? {
        let all = all
        if let room = all.first(where: { $0.label.name == name }) { return room }
        let similar = all.filter { $0.label.name.lowercased() == name.lowercased() }
        return similar.count == 1 ? similar[0] : nil
    }

    /// An event as it is shown: of an invitation, with whether the program is in the room. Keeps an invitation. On the nodes'
    /// scheduler.
    func noted(_ event: NodeEvent) -> NodeEvent {
        guard case .invitation(let from, let room, isThere: _) = event else { return event }
        let isThere = isIn(room)
        if !isThere { state.withLock { $0.invitations.add(room, from: from) } }
        return .invitation(from: from, to: room, isThere: isThere)
    }

    /// The invitations to rooms that the program is not in. On the nodes' scheduler.
    var invitations: [InvitedRoom] {
        state.withLock(\.invitations.all).filter { !isIn($0.room) }.map { InvitedRoom(room: $0.room, from: $0.from) }
    }

    private func isIn(_ room: Chat.Room) -> Bool { all.contains { $0.node.assumeIsolated { $0.isIn(room) } } }

    /// The room of a name that the user was last invited to; nil if there is none.
    package func invitation(to name: String) -> Chat.Room? { state.withLock { $0.invitations.room(named: name) } }

    /// Forgets the invitation to a room that was joined.
    package func forgetInvitation(to room: Chat.Room) { state.withLock { $0.invitations.remove(room) } }

    subscript(label: RoomLabel) -> Room? { all.first { $0.label == label } }

    /// A label for a room that is about to be joined.
    ///
    /// - Throws: `too_many_rooms` above 16.
    package func reserve(_ name: String) throws(ChatError) -> RoomLabel {
        let label = state.withLock { state -> RoomLabel? in
            guard state.rooms.count + state.others.count < Limits.rooms else { return nil }
            let names = Set(state.rooms.map(\.label.name) + state.others.keys.map(\.name))
            var unique = name
            for number in 2...Limits.rooms + 1 where names.contains(unique) { unique = "\(name)/\(number)" }
            state.lastNumber += 1
            let label = RoomLabel(number: state.lastNumber, name: unique)
            state.others[label] = .some(nil)
            return label
        }
        guard let label else { throw ChatError(.tooManyRooms, .tooManyRooms, "\(Limits.rooms)") }
        return label
    }

    /// Adds a room whose label was reserved; the first one is open.
    package func add(_ label: RoomLabel, _ node: Node) {
        state.withLock { state in
            state.others[label] = nil
            state.rooms.append(Room(label: label, node: node))
            state.open = state.open ?? label
        }
    }

    /// Removes a room that is left: no command reaches it any more, while its node says goodbye.
    func leave(_ label: RoomLabel) {
        state.withLock { state in
            guard let index = state.rooms.firstIndex(where: { $0.label == label }) else { return }
            state.others[label] = .some(state.rooms.remove(at: index).node)
            if state.open == label { state.open = nil }
        }
    }

    /// Lets go of a room whose node has ended, or did not begin.
    package func remove(_ label: RoomLabel) {
        state.withLock { state in
            state.others[label] = nil
            state.ready.remove(label)
            state.rooms.removeAll { $0.label == label }
            if state.open == label { state.open = nil }
        }
    }

    /// Returns true when the node of a room is ready, false if it ends before. For one caller.
    package func awaitReady(_ label: RoomLabel) async -> Bool {
        await withCheckedContinuation { continuation in
            let known = state.withLock { state -> Bool? in
                if state.ready.remove(label) != nil { return true }
                guard state.rooms.contains(where: { $0.label == label }) else { return false }
                state.beginners[label] = continuation
                return nil
            }
            if let known { continuation.resume(returning: known) }
        }
    }

    /// Resumes the caller that waits for a room, or the one that will.
    package func noteReady(_ label: RoomLabel, _ isReady: Bool = true) {
        let waiting = state.withLock { state in
            let waiting = state.beginners.removeValue(forKey: label)
            let isThere = state.rooms.contains { $0.label == label } || state.others[label] != nil
            if waiting == nil, isReady, isThere { state.ready.insert(label) } else { state.ready.remove(label) }
            return waiting
        }
        waiting?.resume(returning: isReady)
    }

    /// Opens a room: in the one that was open, no conversation is looked at any more. On the nodes' scheduler.
    func look(at room: Room) {
        let before = open
        if let before, before.label != room.label { before.node.assumeIsolated { $0.change(.lookAway) } }
        state.withLock { $0.open = room.label }
    }

    /// The rooms with their conversations. On the nodes' scheduler.
    var overview: [RoomOverview] {
        let open = open?.label
        return all.map { room in
            room.node.assumeIsolated { node in
                RoomOverview(
                    room.label, isOpen: room.label == open, isPrivate: node.ownRoom.isPrivate,
                    isBridged: node.isBridged, me: node.me(), online: node.online(),
                    conversations: node.summaries(), requests: node.requests())
            }
        }
    }

    /// The rooms with all that a face shows of them; their earlier events are delivered before. On the nodes' scheduler.
    var snapshot: [RoomSnapshot] {
        let nodes = all.map(\.node)
        for node in nodes { node.assumeIsolated { _ = $0.flushEvents() } }
        return zip(nodes, overview).map { node, overview in
            node.assumeIsolated { node in
                RoomSnapshot(
                    overview, ready: node.readyEvent(), profile: node.profile, peers: node.peers(),
                    histories: overview.conversations.map {
                        ($0.conversation, node.history(Conversation($0.conversation)))
                    })
            }
        }
    }

    /// Begins to leave all rooms.
    package func beginLeaving() async {
        for node in allNodes { await node.beginLeaving() }
    }

    /// Leaves all rooms; returns when their nodes have ended.
    package func leave() async {
        let nodes = allNodes
        for node in nodes { await node.beginLeaving() }
        for node in nodes { await node.leave() }
    }

    private var allNodes: [Node] {
        state.withLock { $0.rooms.map(\.node) + $0.others.values.compactMap(\.self) }
    }
}

/// The end of everything that was said: `/wipe`.
extension Rooms {
    /// The room with a label, or with none the open one; waits for the end of a wipe. Nil if there is none.
    func awaitRoom(_ label: RoomLabel?) async -> Room? {
        if isWiping {
            _ = await withCheckedContinuation { continuation in
                let goesOn = state.withLock { state in
                    guard state.isWiping else { return true }
                    state.waiting.append(continuation)
                    return false
                }
                if goesOn { continuation.resume(returning: nil) }
            }
        }
        return if let label { self[label] } else { open }
    }

    /// Ends all nodes for good. Returns when another one is ready, or when the program leaves instead; what is asked for
    /// twice at a time is done once.
    ///
    /// - Returns: what was forgotten.
    @discardableResult
    func wipe() async -> Answer? {
        let nodes = allNodes
        var forgotten = MemoryUsage()
        for node in nodes { forgotten += await node.memoryUsage() }
        let sum = forgotten
        return await withCheckedContinuation { continuation in
            let step = state.withLock { state -> WipeStep in
                if !state.isWiping, !state.rooms.contains(where: { room in nodes.contains { $0 === room.node } }) {
                    return .isDone
                }
                state.waiting.append(continuation)
                guard !state.isWiping else { return .isUnderWay }
                (state.isWiping, state.forgotten) = (true, sum)
                return .begins
            }
            switch step {
            case .isDone: continuation.resume(returning: nil)
            case .isUnderWay: break
            case .begins: Task { await beginLeaving() }
            }
        }
    }

    /// The memory of the ended nodes; nil if they ended for another reason than a wipe.
    package func takeForgotten() -> MemoryUsage? {
        state.withLock { state in
            if state.forgotten != nil { state.invitations = Invitations() }
            return state.forgotten.take()
        }
    }

    /// Keeps the answer of a wipe for the callers that wait.
    package func note(_ answer: Answer) { state.withLock { $0.told = answer } }

    /// Resumes the callers that wait for the end of a wipe; false if there was none.
    package func goOn() -> Bool {
        let (wasWiping, told, waiting) = state.withLock { state in
            defer { (state.isWiping, state.told, state.waiting) = (false, nil, []) }
            return (state.isWiping, state.told, state.waiting)
        }
        for continuation in waiting { continuation.resume(returning: told) }
        return wasWiping
    }
}

extension Limits {
    /// Rooms of a process, each with a node of its own. More cost descriptors (`links` for each room), names on the
    /// network and memory; with fewer, a user of many rooms needs several processes.
    package static let rooms = 16
}
