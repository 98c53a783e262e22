/// The settings of `earshot stats`.
struct StatsSettings: AskingSettings {
    package enum Format: Hashable, Sendable { case plain, json, prometheus }

    static let command = Invocation.CommandName.stats
    package static let summary = "show the counters of the node that runs"
    static let options: [Option<StatsSettings>] =
        [
            .flag("--json", "the answer as a line of JSON") { $0.format = .json },
            .flag("--prometheus", "as Prometheus reads them, text format 0.0.4") { $0.format = .prometheus },
        ] + ControlChoice.asking()

    package var format = Format.plain
    package var control = ControlChoice.own
    package var configuration = ConfigurationChoice.own

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
