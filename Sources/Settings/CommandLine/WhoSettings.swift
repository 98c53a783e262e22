/// What `earshot who` is asked for.
struct WhoSettings: AskingSettings {
    static let summary = "list the peers of the node that runs, here and gone"
    static let operands = ""
    static let options: [Option<WhoSettings>] =
        [Option(name: "--json", help: "the answer as a line of JSON", kind: .flag { $0.isJSON = true })]
        + ControlChoice.asking()

    var isJSON = false
    var control = ControlChoice.own
    var configuration = ConfigurationChoice.own

    mutating func take(operands: [String]) throws(UsageError) {
        try UsageError.refuse(operands, of: .who)
    }

    var question: ClientRequest {
        let request = ControlRequest(.command("/who"), as: isJSON ? .json : .plain)
        return ClientRequest(control: control, requests: .these([request]), showsJSON: isJSON)
    }
}
