import Commands
import ChatNode
import Rendering
import Simulator

/// The report of an experiment as people read it: its settings, and an aligned table of its results.
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
        let network: [Row] = [
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
            ("sends per delivery", thousandths(report.sendsPerDelivery), ""),
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
        return network + reactionRows(of: report) + brokerRows(of: report)
            + (report.crowd.map { rows(of: $0, in: report) } ?? [])
    }

    /// The rows that only a talk with reactions has.
    private static func reactionRows(of report: ExperimentReport) -> [Row] {
        guard let reactions = report.reactions else { return [] }
        let deliveries = reactions.deliveries
        return [
            ("reactions", count(reactions.count), ""),
            ("  delivered", count(deliveries.delivered), share(deliveries.delivered, of: deliveries.expected)),
            ("  live", count(deliveries.live), ""),
            ("  99 % within", milliseconds(deliveries.latency(percent: 99)), ""),
            ("  sends per delivery", thousandths(reactions.sendsPerDelivery), ""),
        ]
    }

    /// The rows that only several networks have.
    private static func brokerRows(of report: ExperimentReport) -> [Row] {
        guard let publications = report.publications else { return [] }
        return [
            ("broker messages", count(publications), "presence too"),
            ("  per message", thousandths(report.publicationsPerMessage), ""),
        ]
    }

    /// The rows that only a crowd has.
    private static func rows(of crowd: CrowdFigures, in report: ExperimentReport) -> [Row] {
        let records = report.perDelivery(crowd.control.records)
        let bytes = report.perDelivery(crowd.control.bytes)
        let overlay: [Row] = [
            ("links per node", Thousandths(crowd.linksMean).text, "on average, when all was said"),
            ("  most", count(crowd.linksMost), "that a node had in any second"),
            ("hops, on average", thousandths(crowd.hopsMean), "links that a message passed live"),
            ("  most", crowd.hopsMost.map(count) ?? "-", "all above 7 count as 8"),
            ("control records", thousandths(records), "per delivery, without a payload"),
            ("  bytes", thousandths(bytes), "per delivery"),
            ("nodes cut off", count(crowd.cutOff), "without a way over honest nodes to the others"),
        ]
        return overlay + (crowd.shock.map(rows) ?? [])
    }

    private static func rows(of shock: CrowdFigures.Shock) -> [Row] {
        let later = shock.afterwards
        return [
            (
                "recovered after", Thousandths(Int(shock.recovery / .milliseconds(1))).text + " s",
                "until the last message that came late was said"
            ),
            ("  said 5 s later", count(later.expected), "deliveries expected"),
            ("    delivered", count(later.delivered), share(later.delivered, of: later.expected)),
            ("    live", count(later.live), share(later.live, of: later.expected)),
            ("    99 % within", milliseconds(later.latency(percent: 99)), ""),
            ("    longest", milliseconds(later.latency(percent: 100)), ""),
        ]
    }

    private static func thousandths(_ value: Int?) -> String { value.map { Thousandths($0).text } ?? "-" }

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
        if settings.reactions > 0 {
            lines.append("They gave \(Thousandths(settings.reactionsInThousandths).text) reactions a second.")
        }
        if settings.networks > 1 {
            lines.append("There were \(settings.networks) such networks, joined by a bridge in each and a broker.")
        }
        if settings.outagesPerMinute > 0 {
            lines.append("\(Thousandths(settings.outagesInThousandths).text) connections to it a minute ended.")
        }
        if settings.rooms > 1 {
            lines.append(
                "Each is a process with a node in each of \(settings.rooms) rooms, all but one of them private.")
        }
        lines += carriage(settings)
        if settings.partition > .zero {
            lines.append("For \(Thousandths(settings.partitionInMilliseconds).text) s it was cut in halves.")
        }
        if settings.churnPerMinute > 0 {
            lines.append("\(Thousandths(settings.churnInThousandths).text) nodes a minute left and were replaced.")
        }
        return (lines + harm(settings)).joined(separator: "\n")
    }

    private static func carriage(_ settings: ExperimentSettings) -> [String] {
        var lines: [String] = []
        if settings.hasSACK { lines.append("Lost packets were sent again once later ones were acknowledged.") }
        if settings.isAsymmetric { lines.append("Each direction of a link had a latency of its own.") }
        if let slow = settings.slowReaders {
            let share = Thousandths(slow.thousandths).text
            lines.append("\(share) % of the nodes read \(slow.rate / 1_000) kB a second each.")
        }
        if let growth = settings.growth {
            lines.append("The room had \(growth) nodes at first, grew, and shrank to as many while they talked.")
        }
        return lines
    }

    private static func harm(_ settings: ExperimentSettings) -> [String] {
        var lines: [String] = []
        if let kill = settings.massKill {
            let moment = Thousandths(Int(kill.after / .milliseconds(1))).text
            let share = Thousandths(kill.thousandths).text
            lines.append("\(share) % of the nodes were killed at once, \(moment) s after the first message.")
        }
        if settings.vanishes { lines.append("Killed nodes vanished without a sign.") }
        if let attackers = settings.attackers {
            let share = Thousandths(attackers.thousandths).text
            lines.append("\(share) % of the nodes were attackers: \(attackers.attack.rawValue).")
        }
        if settings.attackerAddresses > 0 {
            lines.append("One attacker took part at \(settings.attackerAddresses) addresses.")
        }
        if settings.isLimited { lines.append("The limits on rates and handshakes held.") }
        return lines
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
    var reactionsInThousandths: Int { Int(reactions * 1_000 + 0.5) }
    /// In nodes a minute.
    var churnInThousandths: Int { Int(churnPerMinute * 1_000 + 0.5) }
    /// In connections a minute.
    var outagesInThousandths: Int { Int(outagesPerMinute * 1_000 + 0.5) }
    var partitionInMilliseconds: Int { Int(partition / .milliseconds(1)) }
}

extension ExperimentSettings.MassKill {
    /// In percent.
    var thousandths: Int { Int(share * 100_000 + 0.5) }
}

extension ExperimentSettings.SlowReaders {
    /// In percent.
    var thousandths: Int { Int(share * 100_000 + 0.5) }
}

extension ExperimentSettings.Attackers {
    /// In percent.
    var thousandths: Int { Int(share * 100_000 + 0.5) }
}
