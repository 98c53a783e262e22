package import Reactor

/// Calls a function whenever a descriptor is ready.
package final class DescriptorWatch: DescriptorHandler {
    private let action: (Readiness) -> Void

    package init(_ action: @escaping (Readiness) -> Void) {
        self.action = action
    }

    package func ready(_: CInt, _ events: Readiness) { action(events) }
}
