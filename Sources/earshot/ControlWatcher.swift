import Reactor

/// Hands what a loop tells of a descriptor to a function.
final class ControlWatcher: DescriptorHandler {
    private let react: (Readiness) -> Void

    init(_ react: @escaping (Readiness) -> Void) {
        self.react = react
    }

    func ready(_ descriptor: CInt, _ events: Readiness) { react(events) }
}
