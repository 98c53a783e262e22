/// The reason why a running node did not do what was asked.
public enum ControlError: Error, Sendable, Hashable, CustomStringConvertible {
    /// No node answers at the socket, or it is of another version. The text names the socket and the cause.
    case unavailable(String)
    /// The node refuses the request, with a code of Docs/JSON.md or Docs/Control.md, and a line for people.
    case refused(code: String, message: String)
    /// The node has ended or closed the connection before it answered.
    case closed
    /// The task was cancelled; a request that was sent before may still be performed.
    case cancelled

    /// One lower-case line for people.
    public var description: String {
        switch self {
        case .unavailable(let message): message
        case .refused(let code, let message): "\(message) (\(code))"
        case .closed: "the node has closed the connection"
        case .cancelled: "the request was cancelled"
        }
    }
}
