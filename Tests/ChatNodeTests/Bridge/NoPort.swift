import Chat
import ChatNode

/// A port to a broker that does nothing.
struct NoPort: BridgePort {
    func start(pace: Rate, _ handler: @escaping @Sendable (BridgeEvent) -> Void) {}
    func publish(_ content: BridgedContent, tag: UInt64, isHistory: Bool) {}
    func acknowledge(_ tag: UInt64) {}
    func stop() {}
    var counters: [Counter] { [] }
}
