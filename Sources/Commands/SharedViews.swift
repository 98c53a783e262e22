import ChatNode

/// Views of the rooms that several faces have at once.
extension CommandExecutor {
    /// Delivers the first reports of a tail in a turn of the nodes: their later events come behind them.
    package func beginTail(withHistory: Bool, _ deliver: @Sendable ([RoomReport]) -> Void) async {
        let rooms = rooms
        await rooms.awaitRoom(nil)?.node.inTurn { _ in
            deliver(
                rooms.all.flatMap { room in
                    room.node.assumeIsolated { Report.tailStart(withHistory: withHistory, of: $0) }
                        .map { RoomReport(room.label, $0) }
                })
        }
    }

    /// Looks at no conversation of a room until one is opened: their messages count as unread.
    package func lookAway(from label: RoomLabel) async {
        await rooms.awaitRoom(label)?.node.inTurn { $0.lookAway() }
    }

    /// Tells the other faces of a conversation that a step opened.
    func tellOpening(by step: Step, isForDisplay: Bool) {
        guard case .answer(let answer) = step.outcome.reply else { return }
        switch answer {
        case .active(_, let view, let recent):
            opened(RoomReport(step.room, .opened(view, recent: recent)), isForDisplay)
        case .joined(let recent): opened(RoomReport(step.room, .opened(.publicRoom, recent: recent)), isForDisplay)
        case .made: opened(RoomReport(step.room, .opened(.publicRoom, recent: [])), isForDisplay)
        case .parted(_, let view, let recent):
            opened(RoomReport(step.room, .opened(view, recent: recent)), isForDisplay)
        case .peers, .requests, .history, .found, .unread, .rooms, .invited, .announced, .contacts, .blocked,
            .statistics, .help,
            .whoami, .bridge, .person, .verification, .wiped, .done:
            break
        }
    }

    /// Delivers the rooms in one turn of the nodes: their later events come behind it.
    ///
    /// - Returns: nil if the program leaves instead.
    package func snapshot<Result: Sendable>(_ take: @Sendable ([RoomSnapshot]) -> Result) async -> Result? {
        let rooms = rooms
        return await rooms.awaitRoom(nil)?.node.inTurn { _ in take(rooms.snapshot) }
    }
}
