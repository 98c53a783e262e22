package import Chat
import Synchronization

extension ReportQueue {
    /// Takes the events of the node of a room, up to its end: later ones belong to a run that is over.
    ///
    /// - Parameters:
    ///   - rooms: keep the invitations among them.
    ///   - other: receives each batch too.
    package func entrance(
        of room: RoomLabel, in rooms: Rooms, and other: (@Sendable ([RoomReport]) -> Void)? = nil
    ) -> @Sendable ([NodeEvent]) -> Void {
        let end = End()
        return { [self] batch in
            guard !end.hasCome.load(ordering: .acquiring) else { return }
            let reports = batch.map { RoomReport(room, .event(rooms.noted($0))) }
            if reports.contains(where: \.isEnd) { end.hasCome.store(true, ordering: .releasing) }
            append(reports)
            other?(reports)
        }
    }

    private final class End: Sendable {
        let hasCome = Atomic(false)
    }
}
