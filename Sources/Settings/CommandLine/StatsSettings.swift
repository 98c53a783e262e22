/// The settings of `earshot stats`.
struct StatsSettings: AskingSettings {
    package enum Format: Hashable, Sendable { case plain, json, prometheus }

    package static let summary = "show the counters of the node that runs"
    package static let operands = ""
    static let options: [Option<StatsSettings>] =
        [
            Option(name: "--json", help: "the answer as a line of JSON", kind: .flag { $0.format = .json }),
            Option(
                name: "--prometheus", help: "as Prometheus reads them, text format 0.0.4",
                kind: .flag { $0.format = .prometheus }),
        ] + ControlChoice.asking()

    package var format = Format.plain
    package var control = ControlChoice.own
    package var configuration = ConfigurationChoice.own

    package mutating func take(operands: [String]) throws(UsageError) {
        try UsageError.refuse(operands, of: .stats)
    }

    package var question: ClientRequest {
        let request =
            switch format {
            case .plain: ControlRequest(.command("/stats"), as: .plain)
            case .json: ControlRequest(.command("/stats"))
            case .prometheus: ControlRequest(.prometheus)
            }
        return ClientRequest(control: control, requests: .these([request]), showsJSON: format == .json)
    }
}
