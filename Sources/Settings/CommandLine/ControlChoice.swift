/// Where a running node is reached by other programs of the same user.
package enum ControlChoice: Hashable, Sendable {
    /// At the place that all of the user's programs know.
    case own
    case path(String)
    case none

    /// `earshot/control` in `$XDG_RUNTIME_DIR`. Nil without one, as there is no other place that belongs to the user
    /// alone and is empty after a restart.
    package func path(in surroundings: Surroundings) -> String? {
        switch self {
        case .path(let path): return path
        case .none: return nil
        case .own:
            guard let folder = surroundings.variable("XDG_RUNTIME_DIR"), folder.hasPrefix("/") else { return nil }
            return folder + "/earshot/control"
        }
    }
}

/// Settings of a command that has to do with the control socket.
package protocol ControlledSettings: ConfigurableSettings {
    var control: ControlChoice { get set }
}

extension ControlChoice {
    static func option<Settings: ControlledSettings>(_ help: String) -> Option<Settings> {
        .file("--control", help, wanted: "the path of a socket") { $0.control = .path($1) }
    }
}
