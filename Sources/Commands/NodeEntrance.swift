package import ChatNode
import Synchronization

extension ReportQueue {
    /// Takes the events of one node, up to its end: later ones belong to a run that is over.
    ///
    /// - Parameter other: receives each batch too.
    package func entrance(and other: (@Sendable ([NodeEvent]) -> Void)? = nil) -> @Sendable ([NodeEvent]) -> Void {
        let end = End()
        return { [self] batch in
            guard !end.hasCome.load(ordering: .acquiring) else { return }
            let reports = batch.map(Report.event)
            if reports.contains(where: \.isEnd) { end.hasCome.store(true, ordering: .releasing) }
            append(reports)
            other?(batch)
        }
    }

    private final class End: Sendable {
        let hasCome = Atomic(false)
    }
}

extension Report {
    /// True for the last report of a node.
    package var isEnd: Bool {
        guard case .event(.stopped) = self else { return false }
        return true
    }
}
