/// The request of a command to a running node.
package struct ClientRequest: Hashable, Sendable {
    package enum Requests: Hashable, Sendable {
        case these([ControlRequest])
        /// The lines of standard input, each a message, to the room or to a peer.
        case input(to: String?)
    }

    package let control: ControlChoice
    package let requests: Requests
    /// Whether lines of JSON are shown as they come.
    package let showsJSON: Bool

    /// A message to the room, or to a peer, whose name is quoted where it has spaces.
    package static func saying(_ line: String, to who: String?) -> ControlRequest {
        guard let who else { return ControlRequest(.say(line)) }
        let name = who.contains(where: \.isWhitespace) ? "\"\(who)\"" : who
        return ControlRequest(.command("/msg \(name) \(line)"))
    }
}

/// Settings of a command that asks a node that runs.
package protocol AskingSettings: ControlledSettings, Hashable {
    var question: ClientRequest { get }
}

extension ControlChoice {
    /// The options of every such command.
    package static func asking<Settings: AskingSettings>() -> [Option<Settings>] {
        [option("the socket of the node (default earshot/control in $XDG_RUNTIME_DIR)")] + ConfigurationChoice.options()
    }
}
