/// Which configuration file is read.
package enum ConfigurationChoice: Hashable, Sendable {
    /// The person's own, if there is one.
    case own
    case file(String)
    case none

    /// The options that say so; not to be set anywhere else.
    static func options<Settings: ConfigurableSettings>() -> [Option<Settings>] {
        [
            .file(
                "--config", "read settings from this file (default ~/.config/earshot/config)",
                wanted: "the name of a file"
            ) { $0.configuration = .file($1) },
            .flag("--no-config", "read no file of settings") { $0.configuration = .none },
        ]
    }
}

/// The settings of a command that variables and a configuration file may set too.
package protocol ConfigurableSettings: CommandSettings {
    var configuration: ConfigurationChoice { get set }
}

/// The sources of settings besides the command line.
package struct Surroundings: Sendable {
    /// The value of an environment variable.
    var variable: @Sendable (String) -> String?
    /// The first bytes of a file, up to a count; nil where there is no such file.
    package var read: @Sendable (_ path: String, _ count: Int) throws(UsageError) -> [UInt8]?
    /// True if a user with another login runs the process as root.
    var isRootLogin = false

    /// Nothing.
    package static let none = Surroundings(variable: { _ in nil }, read: { _, _ in nil })

    /// Where a person's own file is (XDG Base Directory Specification): `earshot/config` in `$XDG_CONFIG_HOME`, which is
    /// `~/.config` where it is not an absolute path. Nil without a home.
    var ownFile: String? {
        if let folder = variable("XDG_CONFIG_HOME"), folder.hasPrefix("/") { return folder + "/earshot/config" }
        guard let home = variable("HOME"), home.hasPrefix("/") else { return nil }
        return home + "/.config/earshot/config"
    }
}
