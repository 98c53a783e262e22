/// The settings of `earshot doctor`.
package struct DoctorSettings: Hashable, ConfigurableSettings, RoomSettings, BridgeSettings {
    package static let command = Invocation.CommandName.doctor
    package static let summary = "say what is wrong with this network, and what to do about it"
    package static let options: [Option<DoctorSettings>] =
        roomOptions("the room whose people are asked for (default lobby)") + bridgeOptions + [
            .port("--port", "the TCP port that you chat on (default: any that is free)") { $0.port = $1 },
            .server("--irc", "try the port of an IRC gateway", port: 6_667) { $0.ircPort = $1 },
            .interface("examine only this network interface; may be given again") { $0.interfaces.append($1) },
            .flag("--json", "one line of JSON for each finding on standard output") { $0.isJSON = true },
        ] + ConfigurationChoice.options()

    package var roomChoice = RoomChoice()
    package var bridge = BridgeChoice()
    /// 0 for a port of the system's choice.
    package var port: UInt16 = 0
    /// The port of the IRC gateway; nil if none is to be tried.
    package var ircPort: UInt16?
    /// Names of the only interfaces to examine; empty for all.
    package var interfaces: [String] = []
    package var isJSON = false
    package var configuration = ConfigurationChoice.own

    package init() {}
}
