/// The settings of `earshot tail`.
struct TailSettings: AskingSettings {
    package static let summary = "show what happens at the node that runs, as it happens"
    package static let operands = ""
    static let options: [Option<TailSettings>] =
        [
            Option(
                name: "--history", help: "show what is kept of the room first, at most 100 messages",
                kind: .flag { $0.withHistory = true }),
            Option(name: "--json", help: "one line of JSON for each event", kind: .flag { $0.isJSON = true }),
        ] + ControlChoice.asking()

    package var withHistory = false
    package var isJSON = false
    package var control = ControlChoice.own
    package var configuration = ConfigurationChoice.own

    package mutating func take(operands: [String]) throws(UsageError) {
        try UsageError.refuse(operands, of: .tail)
    }

    package var question: ClientRequest {
        let request = ControlRequest(.tail(withHistory: withHistory), as: isJSON ? .json : .plain)
        return ClientRequest(control: control, requests: .these([request]), showsJSON: isJSON)
    }
}
