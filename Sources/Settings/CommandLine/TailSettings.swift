/// What `earshot tail` is asked for.
struct TailSettings: AskingSettings {
    static let summary = "show what happens at the node that runs, as it happens"
    static let operands = ""
    static let options: [Option<TailSettings>] =
        [
            Option(
                name: "--history", help: "show what is kept of the room first, at most 100 messages",
                kind: .flag { $0.withHistory = true }),
            Option(name: "--json", help: "one line of JSON for each event", kind: .flag { $0.isJSON = true }),
        ] + ControlChoice.asking()

    var withHistory = false
    var isJSON = false
    var control = ControlChoice.own
    var configuration = ConfigurationChoice.own

    mutating func take(operands: [String]) throws(UsageError) {
        try UsageError.refuse(operands, of: .tail)
    }

    var question: ClientRequest {
        let request = ControlRequest(.tail(withHistory: withHistory), as: isJSON ? .json : .plain)
        return ClientRequest(control: control, requests: .these([request]), showsJSON: isJSON)
    }
}
