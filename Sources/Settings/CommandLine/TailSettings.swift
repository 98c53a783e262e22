/// The settings of `earshot tail`.
struct TailSettings: AskingSettings {
    static let command = Invocation.CommandName.tail
    package static let summary = "show what happens at the node that runs, as it happens"
    static let options: [Option<TailSettings>] =
        [
            .flag("--history", "show what is kept of the room first, at most 100 messages") { $0.withHistory = true },
            .flag("--json", "one line of JSON for each event") { $0.isJSON = true },
        ] + ControlChoice.asking()

    package var withHistory = false
    package var isJSON = false
    package var control = ControlChoice.own
    package var configuration = ConfigurationChoice.own

    package var question: ClientRequest {
        let request = ControlRequest(.tail(withHistory: withHistory), as: isJSON ? .json : .plain)
        return ClientRequest(control: control, requests: .these([request]), showsJSON: isJSON)
    }
}
