import Commands
import ChatNode
import Rendering
import Simulator
import Wire

/// The report of an experiment as JSON: its settings, then its results.
extension JSONWriter {
    mutating func members(of report: ExperimentReport) {
        member("event", "simulation")
        member("settings") { writer in writer.object { $0.members(of: report.settings) } }
        member("messages", report.messages)
        members(of: report.deliveries)
        member("strays", report.strays)
        member("sendsPerDelivery", thousandths: report.sendsPerDelivery)
        member("payloadsSent", report.payloadsSent)
        member("linksMet", report.linksMet)
        member("linksMade", report.linksMade)
        member("linksLeft", report.linksLeft)
        member("bytesPerNode", report.bytesMean)
        member("bytesPerNodeMost", report.bytesMost)
        member("nodesLeft", report.left)
        member("nodesKilled", report.killed)
        member("nodesJoined", report.joined)
        member("simulatedMs") { $0.literal(Milliseconds(report.simulated).text) }
        member("events", report.events)
        if let reactions = report.reactions {
            member("reactions") { writer in writer.object { $0.members(of: reactions) } }
        }
        if let publications = report.publications {
            member("brokerMessages", publications)
            member("brokerMessagesPerMessage", thousandths: report.publicationsPerMessage)
        }
        if let crowd = report.crowd {
            member("crowd") { writer in writer.object { $0.members(of: crowd, in: report) } }
        }
        guard report.settings.sampling != nil else { return }
        member("samples") { writer in
            writer.array { writer in
                for sample in report.samples { writer.object { $0.members(of: sample) } }
            }
        }
    }

    private mutating func members(of reactions: ExperimentReport.Reactions) {
        member("sent", reactions.count)
        members(of: reactions.deliveries)
        member("sendsPerDelivery", thousandths: reactions.sendsPerDelivery)
    }

    private mutating func members(of crowd: CrowdFigures, in report: ExperimentReport) {
        member("messagesSent", crowd.messagesSent)
        member("linksMean") { $0.literal(Thousandths(crowd.linksMean).text) }
        member("linksMost", crowd.linksMost)
        member("hopsMean", thousandths: crowd.hopsMean)
        member("hopsMost", crowd.hopsMost)
        member("controlRecords", crowd.control.records)
        member("controlBytes", crowd.control.bytes)
        member("controlRecordsPerDelivery", thousandths: report.perDelivery(crowd.control.records))
        member("controlBytesPerDelivery", thousandths: report.perDelivery(crowd.control.bytes))
        member("cutOff", crowd.cutOff)
        guard let shock = crowd.shock else { return }
        member("shock") { writer in writer.object { $0.members(of: shock) } }
    }

    private mutating func members(of shock: CrowdFigures.Shock) {
        member("recoveryMs", shock.recovery)
        member("expected", shock.afterwards.expected)
        member("delivered", shock.afterwards.delivered)
        member("live", shock.afterwards.live)
        member("p99Ms", shock.afterwards.latency(percent: 99))
        member("maxMs", shock.afterwards.latency(percent: 100))
    }

    private mutating func member(_ name: String, thousandths: Int?) {
        member(name) { $0.literal(thousandths.map { Thousandths($0).text } ?? "null") }
    }

    private mutating func members(of sample: TableSample) {
        member("second", Int(sample.at / .seconds(1)))
        member("tables") { writer in
            writer.object { writer in
                for (name, count) in sample.sizes.sorted(by: { $0.key < $1.key }) { writer.member(name, count) }
            }
        }
    }

    private mutating func members(of settings: ExperimentSettings) {
        member("nodes", settings.nodes)
        member("rooms", settings.rooms)
        member("messages", settings.messages)
        member("rate") { $0.literal(Thousandths(settings.rateInThousandths).text) }
        member("latencyMs") { writer in
            writer.array {
                $0.literal(Milliseconds(settings.latency.lowerBound).text)
                $0.literal(Milliseconds(settings.latency.upperBound).text)
            }
        }
        member("lossPercent") { $0.literal(Thousandths(settings.lossInThousandths).text) }
        member("links", settings.links)
        member("partitionSeconds") { $0.literal(Thousandths(settings.partitionInMilliseconds).text) }
        member("churnPerMinute") { $0.literal(Thousandths(settings.churnInThousandths).text) }
        member("seed") { $0.literal("\(settings.seed)") }
        if settings.reactions > 0 {
            member("reactions") { $0.literal(Thousandths(settings.reactionsInThousandths).text) }
        }
        if settings.networks > 1 {
            member("networks", settings.networks)
            member("outagesPerMinute") { $0.literal(Thousandths(settings.outagesInThousandths).text) }
        }
        carriage(settings)
        if settings.isCrowd { harm(settings) }
    }

    /// Settings that are given only where they were asked for.
    private mutating func carriage(_ settings: ExperimentSettings) {
        if settings.hasSACK { member("sack", true) }
        if settings.isAsymmetric { member("asymmetric", true) }
        if let slow = settings.slowReaders {
            member("slow") { writer in
                writer.object {
                    $0.member("percent", thousandths: slow.thousandths)
                    $0.member("bytesPerSecond", slow.rate)
                }
            }
        }
        if let growth = settings.growth { member("growth", growth) }
        if settings.attackerAddresses > 0 { member("attackerAddresses", settings.attackerAddresses) }
    }

    /// The settings that only a crowd has.
    private mutating func harm(_ settings: ExperimentSettings) {
        if let kill = settings.massKill {
            member("kill") { writer in
                writer.object {
                    $0.member("percent", thousandths: kill.thousandths)
                    $0.member("second", thousandths: Int(kill.after / .milliseconds(1)))
                }
            }
        }
        member("vanish", settings.vanishes)
        if let attackers = settings.attackers {
            member("attackers") { writer in
                writer.object {
                    $0.member("percent", thousandths: attackers.thousandths)
                    $0.member("kind", attackers.attack.rawValue)
                }
            }
        }
        member("limits", settings.isLimited)
    }

    private mutating func members(of deliveries: Deliveries) {
        member("expected", deliveries.expected)
        member("delivered", deliveries.delivered)
        member("live", deliveries.live)
        member("repaired", deliveries.repaired)
        member("duplicates", deliveries.duplicates)
        member("others", deliveries.others)
        member("lost", deliveries.lost)
        member("latencyMs") { writer in
            writer.object {
                $0.member("p50", deliveries.latency(percent: 50))
                $0.member("p90", deliveries.latency(percent: 90))
                $0.member("p99", deliveries.latency(percent: 99))
                $0.member("max", deliveries.latency(percent: 100))
            }
        }
        member("repairMs") { writer in
            writer.object {
                $0.member("p50", deliveries.repair(percent: 50))
                $0.member("p99", deliveries.repair(percent: 99))
                $0.member("max", deliveries.repair(percent: 100))
            }
        }
        if !deliveries.gaps.isEmpty { gaps(deliveries.gaps) }
    }

    /// The nodes that missed something, those that came first before others: when they were there, and when it was said.
    private mutating func gaps(_ gaps: [Int: Gap]) {
        member("gaps") { writer in
            writer.array {
                for (node, gap) in gaps.sorted(by: { $0.key < $1.key }).prefix(64) {
                    $0.object {
                        $0.member("node", node)
                        $0.member("missed", gap.count)
                        $0.member("cameMs", gap.came)
                        $0.member("leftMs", gap.left)
                        $0.member("firstMs", gap.first)
                        $0.member("lastMs", gap.last)
                    }
                }
            }
        }
    }

    private mutating func member(_ name: String, _ instant: Instant?) {
        member(name, instant.map { $0 - Instant(nanoseconds: 0) })
    }

    /// In milliseconds.
    private mutating func member(_ name: String, _ duration: Duration?) {
        member(name) { $0.literal(duration.map { Milliseconds($0).text } ?? "null") }
    }
}
