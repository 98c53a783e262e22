/// Calls a function whenever a descriptor is ready.
final class DescriptorWatch: DescriptorHandler {
    private let action: (Readiness) -> Void

    init(_ action: @escaping (Readiness) -> Void) {
        self.action = action
    }

    func ready(_: CInt, _ events: Readiness) { action(events) }
}
