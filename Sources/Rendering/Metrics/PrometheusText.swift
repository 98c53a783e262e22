import Commands
package import ChatNode

/// Counters in Prometheus's text format, version 0.0.4.
package enum PrometheusText {
    /// Returns each family's description, type and samples, in the order in which the families first appear.
    package static func of(_ counters: [Counter]) -> String {
        var families: [String] = []
        var members: [String: [Counter]] = [:]
        for counter in counters {
            guard let family = counter.metric.family else { continue }
            if members[family] == nil { families.append(family) }
            members[family, default: []].append(counter)
        }
        let info =
            head("earshot_info", .gauge, "The version that runs.") + "earshot_info{version=\"\(Version.current)\"} 1\n"
        return info + families.map { text(of: $0, members[$0] ?? []) }.joined()
    }

    private static func text(of family: String, _ counters: [Counter]) -> String {
        guard let metric = counters.first?.metric else { return "" }
        return head(family, metric.kind, metric.help) + counters.map { sample($0, of: family) }.joined()
    }

    private static func sample(_ counter: Counter, of family: String) -> String {
        let metric = counter.metric
        let label = metric.label.map { "{\($0)=\"\(escaped(metric.labelValue))\"}" } ?? ""
        return "\(family)\(label) \(number(counter.value, metric.unit))\n"
    }

    private static func head(_ name: String, _ kind: Metric.Kind, _ help: String) -> String {
        "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
    }

    private static func number(_ value: Int, _ unit: Metric.Unit) -> String {
        switch unit {
        case .one: "\(value)"
        case .microseconds: "\(Double(value) / 1_000_000)"
        }
    }

    /// Label values are ours; a name that is added later may be anything.
    private static func escaped(_ value: String) -> String {
        value.reduce(into: "") { text, character in
            switch character {
            case "\\": text += "\\\\"
            case "\"": text += "\\\""
            case "\n": text += "\\n"
            default: text.append(character)
            }
        }
    }
}
