/// The settings of `earshot doctor`.
package struct DoctorSettings: Hashable, ConfigurableSettings, RoomSettings, BridgeSettings {
    package static let summary = "say what is wrong with this network, and what to do about it"
    package static let operands = ""
    package static let options: [Option<DoctorSettings>] =
        roomOptions("the room whose people are asked for (default lobby)") + bridgeOptions + [
            Option(
                name: "--port", help: "the TCP port that you chat on (default: any that is free)",
                kind: .value("N", wanted: Wanted.port) { settings, value in
                    UInt16(decimal: value).map { settings.port = $0 } != nil
                }),
            Option(
                name: "--interface", help: "examine only this network interface; may be given again",
                kind: .value("NAME", wanted: Wanted.interface) { settings, value in
                    settings.interfaces.append(value)
                    return Wanted.isInterface(value)
                }, isRepeatable: true),
            Option(
                name: "--json", help: "one line of JSON for each finding on standard output",
                kind: .flag { $0.isJSON = true }),
        ] + ConfigurationChoice.options()

    package var roomChoice = RoomChoice()
    package var bridge = BridgeChoice()
    /// 0 for a port of the system's choice.
    package var port: UInt16 = 0
    /// Names of the only interfaces to examine; empty for all.
    package var interfaces: [String] = []
    package var isJSON = false
    package var configuration = ConfigurationChoice.own

    package init() {}

    package mutating func take(operands: [String]) throws(UsageError) {
        try UsageError.refuse(operands, of: .doctor)
    }
}

/// Values that options of several commands take.
enum Wanted {
    package static let room = "a name of 1 to 64 characters on one line"
    package static let port = "a port from 0 to 65535"
    package static let interface = "an interface's name of 1 to 15 characters"

    static func isInterface(_ text: String) -> Bool { (1...15).contains(text.utf8.count) && !text.contains("/") }
}
