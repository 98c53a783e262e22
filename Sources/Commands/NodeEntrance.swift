import ChatNode
import Synchronization

extension ReportQueue {
    /// The way in for one node. What comes behind its end is not taken: it is of a run that is over.
    ///
    /// - Parameter control: is told the same.
    func entrance(and control: ControlServer? = nil) -> @Sendable ([NodeEvent]) -> Void {
        let end = End()
        return { [self] batch in
            guard !end.hasCome.load(ordering: .acquiring) else { return }
            let reports = batch.map(Report.event)
            if reports.contains(where: \.isEnd) { end.hasCome.store(true, ordering: .releasing) }
            append(reports)
            control?.tell(batch)
        }
    }

    private final class End: Sendable {
        let hasCome = Atomic(false)
    }
}

extension Report {
    /// Whether it is the last of a node.
    var isEnd: Bool {
        guard case .event(.stopped) = self else { return false }
        return true
    }
}
