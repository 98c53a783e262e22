import Rendering
import Simulator

/// The report of an experiment as people read it: what was simulated, and an aligned table of what came of it.
struct SimulationTable {
    let text: String

    init(_ report: ExperimentReport) {
        let rows = SimulationTable.rows(of: report)
        let name = rows.map(\.name.count).max() ?? 0
        let value = rows.map(\.value.count).max() ?? 0
        let lines = rows.map { row in
            let line = SimulationTable.pad(row.name, right: name) + "  " + SimulationTable.pad(row.value, left: value)
            return "  " + line + (row.remark.isEmpty ? "" : "  " + row.remark)
        }
        text = SimulationTable.sentence(on: report.settings) + "\n\n" + lines.joined(separator: "\n") + "\n"
    }

    private typealias Row = (name: String, value: String, remark: String)

    private static func rows(of report: ExperimentReport) -> [Row] {
        let deliveries = report.deliveries
        return [
            ("messages sent", count(report.messages), ""),
            ("deliveries expected", count(deliveries.expected), "at every other node that was there for a while"),
            ("delivered", count(deliveries.delivered), share(deliveries.delivered, of: deliveries.expected)),
            ("  live", count(deliveries.live), ""),
            ("  repaired", count(deliveries.repaired), "later, from who had kept it"),
            ("duplicates", count(deliveries.duplicates), ""),
            ("to who just came or went", count(deliveries.others), "not expected, not counted above"),
            ("in another room", count(report.strays), "shown where they were not said: a fault"),
            ("messages lost", count(deliveries.lost), "with authors that were killed before any node had them"),
            ("latency, median", milliseconds(deliveries.latency(percent: 50)), "from being said to being shown live"),
            ("  90 % within", milliseconds(deliveries.latency(percent: 90)), ""),
            ("  99 % within", milliseconds(deliveries.latency(percent: 99)), ""),
            ("  longest", milliseconds(deliveries.latency(percent: 100)), ""),
            ("repair, median", milliseconds(deliveries.repair(percent: 50)), "from being said to being repaired"),
            ("  99 % within", milliseconds(deliveries.repair(percent: 99)), ""),
            ("sends per delivery", report.sendsPerDelivery.map { Thousandths($0).text } ?? "-", ""),
            ("links", count(report.linksMet), "when all had met"),
            ("  made afterwards", count(report.linksMade), ""),
            ("  at the end", count(report.linksLeft), ""),
            ("bytes written per node", count(report.bytesMean), "on average, handshakes and pings too"),
            ("  most", count(report.bytesMost), ""),
            ("nodes that left", count(report.left), ""),
            ("  were killed", count(report.killed), ""),
            ("  came instead", count(report.joined), ""),
            ("time simulated", Thousandths(Int(report.simulated / .milliseconds(1))).text + " s", ""),
            ("events run", count(report.events), ""),
        ]
    }

    private static func sentence(on settings: ExperimentSettings) -> String {
        let nodes = "\(settings.nodes) \(settings.nodes == 1 ? "node" : "nodes")"
        let sight = settings.links.map { "each in sight of \($0) others" } ?? "each in sight of all"
        let low = Milliseconds(settings.latency.lowerBound).text
        let high = Milliseconds(settings.latency.upperBound).text
        let latency = low == high ? "\(low) ms" : "\(low) to \(high) ms"
        let loss = settings.loss == 0 ? "no loss" : "\(Thousandths(settings.lossInThousandths).text) % loss"
        var lines = [
            "\(nodes), \(sight), on a simulated network with \(latency) latency and \(loss); seed \(settings.seed)."
        ]
        if settings.rooms > 1 {
            lines.append(
                "Each is a process with a node in each of \(settings.rooms) rooms, all but one of them private.")
        }
        if settings.partition > .zero {
            lines.append("For \(Thousandths(settings.partitionInMilliseconds).text) s it was cut in halves.")
        }
        if settings.churnPerMinute > 0 {
            lines.append("\(Thousandths(settings.churnInThousandths).text) nodes a minute left and were replaced.")
        }
        return lines.joined(separator: "\n")
    }

    /// With a space between thousands.
    private static func count(_ value: Int) -> String {
        var groups: [Substring] = []
        var rest = Substring(String(value))
        while rest.count > 3 {
            groups.insert(rest.suffix(3), at: 0)
            rest = rest.dropLast(3)
        }
        return ([rest] + groups).joined(separator: " ")
    }

    private static func milliseconds(_ duration: Duration?) -> String {
        duration.map { Milliseconds($0).text + " ms" } ?? "-"
    }

    /// Rounded down, so that 100 % is all.
    private static func share(_ part: Int, of whole: Int) -> String {
        whole == 0 ? "" : "\(Thousandths(part * 100_000 / whole).text) %"
    }

    private static func pad(_ text: String, right width: Int) -> String {
        text + String(repeating: " ", count: width - text.count)
    }

    private static func pad(_ text: String, left width: Int) -> String {
        String(repeating: " ", count: width - text.count) + text
    }
}

/// A number of thousandths with its decimal point, without zeros at its end.
struct Thousandths {
    let text: String

    init(_ value: Int) {
        var fraction = Digits.three(value % 1_000)
        while fraction.hasSuffix("0") { fraction.removeLast() }
        text = fraction.isEmpty ? "\(value / 1_000)" : "\(value / 1_000).\(fraction)"
    }
}

extension ExperimentSettings {
    /// In percent.
    var lossInThousandths: Int { Int(loss * 100_000 + 0.5) }
    var rateInThousandths: Int { Int(rate * 1_000 + 0.5) }
    /// In nodes a minute.
    var churnInThousandths: Int { Int(churnPerMinute * 1_000 + 0.5) }
    var partitionInMilliseconds: Int { Int(partition / .milliseconds(1)) }
}
