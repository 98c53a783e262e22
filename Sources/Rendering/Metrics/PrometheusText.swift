import Commands
package import ChatNode

/// Counters in the text format that Prometheus reads, version 0.0.4.
package enum PrometheusText {
    /// Each family with its description and its type, then its samples. Counters without a family are left out.
    package static func of(_ counters: [Counter]) -> String {
        let values = Dictionary(counters.map { ($0.name, $0.value) }) { first, _ in first }
        let info =
            head("earshot_info", .gauge, "The version that runs.") + "earshot_info{version=\"\(Version.current)\"} 1\n"
        return info + MetricFamily.all.map { text(of: $0, values) }.joined()
    }

    private static func text(of family: MetricFamily, _ values: [String: Int]) -> String {
        let samples = family.samples.compactMap { sample -> String? in
            guard let value = values[sample.counter] else { return nil }
            let label = sample.label.map { "{\(family.label)=\"\(escaped($0))\"}" } ?? ""
            return "\(family.name)\(label) \(number(value, family.unit))\n"
        }
        return samples.isEmpty ? "" : head(family.name, family.kind, family.help) + samples.joined()
    }

    private static func head(_ name: String, _ kind: MetricFamily.Kind, _ help: String) -> String {
        "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
    }

    private static func number(_ value: Int, _ unit: MetricFamily.Unit) -> String {
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
