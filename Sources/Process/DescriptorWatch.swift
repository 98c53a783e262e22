import Reactor

/// Calls a function whenever a descriptor is ready.
final class TerminalWatch: DescriptorHandler {
    private let action: () -> Void

    init(_ action: @escaping () -> Void) {
        self.action = action
    }

    func ready(_: CInt, _: Readiness) { action() }
}
