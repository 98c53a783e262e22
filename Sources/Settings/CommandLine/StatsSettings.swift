/// What `earshot stats` is asked for.
struct StatsSettings: AskingSettings {
    enum Format: Hashable, Sendable { case plain, json, prometheus }

    static let summary = "show the counters of the node that runs"
    static let operands = ""
    static let options: [Option<StatsSettings>] =
        [
            Option(name: "--json", help: "the answer as a line of JSON", kind: .flag { $0.format = .json }),
            Option(
                name: "--prometheus", help: "as Prometheus reads them, text format 0.0.4",
                kind: .flag { $0.format = .prometheus }),
        ] + ControlChoice.asking()

    var format = Format.plain
    var control = ControlChoice.own
    var configuration = ConfigurationChoice.own

    mutating func take(operands: [String]) throws(UsageError) {
        try UsageError.refuse(operands, of: .stats)
    }

    var question: ClientRequest {
        let request =
            switch format {
            case .plain: ControlRequest(.command("/stats"), as: .plain)
            case .json: ControlRequest(.command("/stats"))
            case .prometheus: ControlRequest(.prometheus)
            }
        return ClientRequest(control: control, requests: .these([request]), showsJSON: format == .json)
    }
}
