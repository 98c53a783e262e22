/// The request of a command to a running node.
package struct ClientRequest: Hashable, Sendable {
    package enum Requests: Hashable, Sendable {
        case these([ControlRequest])
        /// The lines of standard input, each a message, to a room, or to a peer of it; nil for the open room.
        case input(to: String?, in: String?)
    }

    package let control: ControlChoice
    package let requests: Requests
    /// Whether lines of JSON are shown as they come.
    package let showsJSON: Bool
}

extension ClientRequest {
    /// The option that names a room of the node.
    static func roomOption<Settings: AskingSettings>(
        _ help: String, _ set: @escaping @Sendable (inout Settings, String) -> Void
    ) -> Option<Settings> {
        .value("--in", "ROOM", help, wanted: "the name of a room", name, set)
    }

    /// A text that can be a name in a line of the socket; nil for another.
    @Sendable static func name(_ text: String) -> String? {
        text.isEmpty || text.utf8.contains { $0 < 32 } ? nil : text
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
