import Chat
import Testing
import Wire

@testable import ChatNode
@testable import Simulator

/// The runs behind `earshot simulate`.
@Suite struct ExperimentTests {
    private func report(_ change: (inout ExperimentSettings) -> Void) -> ExperimentReport {
        var settings = ExperimentSettings()
        settings.nodes = 6
        settings.messages = 30
        change(&settings)
        var experiment = Experiment(settings)
        return experiment.run()
    }

    @Test func `where nothing goes wrong everything is shown once, within the latency, sent once for each`() {
        let report = report { $0.latency = .milliseconds(5)...(.milliseconds(30)) }
        #expect(report.messages == 30)
        #expect(report.deliveries.expected == 150)
        #expect(report.deliveries.live == 150)
        #expect(report.deliveries.missed == 0)
        #expect(report.deliveries.duplicates == 0)
        #expect(report.deliveries.others == 0)
        #expect(report.sendsPerDelivery == 1_000)
        #expect(report.linksMet == 15)
        #expect(report.linksMade == 0)
        let latencies = report.deliveries.latencies
        #expect(latencies.allSatisfy { (5_000...30_000).contains($0) })
    }

    @Test func `a cancelled run reports its messages until then`() {
        var settings = ExperimentSettings()
        settings.nodes = 6
        settings.messages = 30
        var said = 0
        var experiment = Experiment(settings, observe: { said = $0.messages }, isCalledOff: { said >= 10 })
        let report = experiment.run()
        // One more where it is looked after a message, and not before the next.
        #expect((10...11).contains(report.messages))
        #expect(report.deliveries.expected == report.messages * 5)
        #expect(report.deliveries.missed == 0)
    }

    @Test func `networks that a broker joins hear everything once, though connections to it end`() {
        let report = report {
            $0.nodes = 4
            $0.networks = 3
            $0.rate = 5
            $0.outagesPerMinute = 60
        }
        #expect(report.messages == 30)
        #expect(report.deliveries.expected == 30 * 11)
        #expect(report.deliveries.delivered == 30 * 11)
        #expect(report.deliveries.duplicates == 0)
        // All links are within the networks.
        #expect(report.linksMet == 3 * 6)
        #expect((30...60).contains(report.publications ?? 0))
        #expect(report.publicationsPerMessage ?? 0 >= 1_000)
    }

    @Test func `one seed gives one report, another seed another`() {
        let hard: (inout ExperimentSettings) -> Void = {
            $0.loss = 0.05
            $0.churnPerMinute = 60
            $0.partition = .seconds(2)
        }
        let first = report(hard)
        #expect(report(hard) == first)
        let other = report {
            hard(&$0)
            $0.seed = 2
        }
        #expect(other.deliveries != first.deliveries)
    }

    @Test func `loss loses nothing, it delays`() {
        let report = report { $0.loss = 0.1 }
        #expect(report.deliveries.missed == 0)
        #expect(report.deliveries.duplicates == 0)
        let longest = report.deliveries.latency(percent: 100) ?? .zero
        let median = report.deliveries.latency(percent: 50) ?? .zero
        #expect(longest >= .milliseconds(200))
        #expect(median <= .milliseconds(200))
    }

    @Test func `a short partition delays what crosses it, and nothing else`() {
        let report = report { $0.partition = .seconds(20) }
        #expect(report.deliveries.missed == 0)
        #expect(report.deliveries.duplicates == 0)
        #expect(report.linksMade == 0)
        let latencies = report.deliveries.latencies
        #expect(latencies.contains { $0 > 10_000_000 })
        #expect(latencies.contains { $0 <= 20_000 })
    }

    @Test(arguments: 1...4) func `newcomers are met, leavers are gone, and no message is shown twice`(
        seed: UInt64
    ) {
        let report = report {
            $0.churnPerMinute = 120
            $0.messages = 100
            $0.seed = seed
        }
        #expect(report.left + report.killed == report.joined)
        #expect(report.joined >= 15)
        #expect(report.linksMade > 0)
        #expect(report.linksLeft == 15)
        #expect(report.deliveries.duplicates == 0)
        #expect(report.deliveries.missed == 0)
    }

    @Test func `each sees as many others as was asked for`() {
        let report = report {
            $0.nodes = 12
            $0.links = 4
            $0.messages = 0
        }
        // The last node may find no peer with room left.
        #expect((23...24).contains(report.linksMet))
        #expect(report.sendsPerDelivery == nil)
        #expect(report.deliveries.latency(percent: 50) == nil)
    }

    @Test func `messages that a sparse room can not hear live are repaired, until its gaps are closed`() {
        let report = report {
            $0.nodes = 16
            $0.links = 3
        }
        #expect(report.deliveries.missed == 0)
        #expect(report.deliveries.duplicates == 0)
        #expect(report.deliveries.repaired > 0)
        #expect(report.deliveries.live > report.deliveries.expected / 3)
        #expect((report.sendsPerDelivery ?? 0) >= 1_000)
    }

    @Test func `the tables of those who stay are counted, all of them, and stay within their bounds`() throws {
        let report = report {
            $0.churnPerMinute = 60
            $0.messages = 200
            $0.residents = 2
            $0.sampling = .seconds(5)
        }
        #expect(report.samples.map { $0.at - report.samples[0].at } == (0...4).map { .seconds(5 * $0) })
        let last = try #require(report.samples.last?.sizes)
        #expect(last["connections"] ?? 0 >= 1)
        #expect((10...report.joined + 6).contains(last["router.roster.known"] ?? 0))
        #expect(last["certificates.entries.young"] ?? 0 > 6)
        #expect(last["router.publicChat.log.messages.ids"] ?? 0 <= Limits.messagesPerConversation)
        #expect(last["admission.seen.ids"] == last["admission.seen.order"])
        #expect(report.deliveries.missed == 0)
    }

    @Test(arguments: 1...3) func `processes in an open and a private room hear each message in its room alone`(
        seed: UInt64
    ) {
        let report = report {
            $0.rooms = 2
            $0.messages = 60
            $0.loss = 0.05
            $0.partition = .seconds(5)
            $0.seed = seed
        }
        #expect(report.messages == 60)
        #expect(report.deliveries.expected == 300)
        #expect(report.deliveries.missed == 0)
        #expect(report.deliveries.duplicates == 0)
        #expect(report.strays == 0)
    }

    @Test(arguments: 1...3) func `where processes come and go, no message is shown twice or in another room`(
        seed: UInt64
    ) {
        let report = report {
            $0.rooms = 2
            $0.messages = 60
            $0.churnPerMinute = 60
            $0.seed = seed
        }
        #expect(report.joined >= 3 && report.deliveries.live > 0)
        #expect(report.deliveries.duplicates == 0)
        #expect(report.strays == 0)
    }

    @Test(arguments: [false, true]) func `a message that is said while many are killed reaches all others`(
        vanish: Bool
    ) throws {
        let report = report {
            $0.nodes = 10
            $0.messages = 120
            $0.massKill = ExperimentSettings.MassKill(share: 0.3, after: .seconds(2))
            $0.vanishes = vanish
        }
        #expect(report.killed == 3)
        #expect(report.deliveries.missed == 0)
        #expect(report.deliveries.duplicates == 0)
        let crowd = try #require(report.crowd)
        // The links of the seven others: those that were reset are gone, half open ones stay until they are taken for dead.
        #expect(report.linksLeft == (vanish ? 7 * 9 : 7 * 6) / 2)
        #expect(crowd.cutOff == 0)
        let shock = try #require(crowd.shock)
        #expect(shock.afterwards.expected > 0)
        #expect(shock.afterwards.live == shock.afterwards.expected)
        #expect(shock.recovery == .zero)
    }

    @Test(arguments: ExperimentSettings.Attack.allCases)
    func `attackers have links, count for nothing, and cut no node off`(attack: ExperimentSettings.Attack) throws {
        let report = report {
            $0.nodes = 10
            $0.messages = 40
            $0.attackers = ExperimentSettings.Attackers(share: 0.3, attack: attack)
        }
        #expect(report.messages == 40)
        #expect(report.deliveries.expected == 40 * 6)
        #expect(report.deliveries.live == 40 * 6)
        #expect(report.linksMet == 7 * 9 / 2)
        let crowd = try #require(report.crowd)
        #expect(crowd.linksMost == 9)
        #expect(crowd.cutOff == 0)
        #expect((crowd.shock != nil) == (attack == .mute))
    }

    @Test func `a room grows and shrinks while it talks, and each message reaches the nodes that are there`() {
        let settings: (inout ExperimentSettings) -> Void = {
            $0.nodes = 12
            $0.growth = 4
            $0.messages = 300
            $0.rate = 5
        }
        let report = report(settings)
        #expect(report.linksMet == 4 * 3 / 2)
        #expect(report.linksLeft == 4 * 3 / 2)
        #expect(report.joined == 8)
        #expect(report.left + report.killed == 8)
        // More than those of four nodes, and fewer than those of twelve.
        #expect((300 * 4...300 * 11).contains(report.deliveries.expected))
        #expect(report.deliveries.missed == 0)
        #expect(report.deliveries.duplicates == 0)
        #expect(self.report(settings) == report)
    }

    @Test func `the addresses of one attacker join the room, and leave each other alone`() throws {
        let settings: (inout ExperimentSettings) -> Void = {
            $0.attackerAddresses = 12
            $0.messages = 30
        }
        let report = report(settings)
        #expect(report.deliveries.expected == 30 * 5)
        #expect(report.deliveries.live == 30 * 5)
        #expect(report.linksMet == 6 * (5 + 12) / 2)
        let crowd = try #require(report.crowd)
        #expect(crowd.linksMost == 5 + 12)
        #expect(crowd.cutOff == 0)
        #expect(self.report(settings) == report)
    }

    @Test func `slow readers are shown all, later than the others`() {
        let report = report {
            $0.slowReaders = ExperimentSettings.SlowReaders(share: 0.5, rate: 4_000)
            $0.messages = 40
        }
        #expect(report.deliveries.missed == 0)
        // Of six nodes three read 4 kB a second, and 10 messages a second are 5 kB.
        let slow = report.deliveries.latencies.count { $0 > 100_000 }
        #expect((80...100).contains(slow))
    }

    @Test func `the messages of a crowd that are said after a cut healed are counted by themselves`() throws {
        let report = report {
            $0.isLimited = true
            $0.messages = 200
            $0.partition = .seconds(2)
        }
        let shock = try #require(report.crowd?.shock)
        // From 20/3 + 2 + 5 s on.
        #expect((60...66).contains(shock.afterwards.expected / 5))
        #expect(shock.afterwards.live == shock.afterwards.expected)
    }

    @Test func `with its limits a node takes no more from an author than in the program`() {
        let settings: (inout ExperimentSettings) -> Void = {
            $0.nodes = 2
            $0.rate = 1_000
            $0.messages = 200
        }
        #expect(report(settings).messages == 200)
        let limited = report {
            settings(&$0)
            $0.isLimited = true
        }
        #expect((20..<30).contains(limited.messages))
    }

    @Test func `the links of a crowd are those that its nodes have, though more peers are here`() throws {
        let report = report {
            $0.nodes = 34
            $0.messages = 10
        }
        #expect(report.deliveries.missed == 0)
        #expect(report.linksMet <= 34 * 13 / 2)
        // Links of the mesh that it was at first end some seconds later.
        #expect(try #require(report.crowd).linksMost < 33)
    }

    @Test func `a small room has none of the figures of a crowd`() {
        #expect(report { $0.nodes = 3 }.crowd == nil)
        #expect(report { $0.isLimited = true }.crowd != nil)
    }

    @Test func `nodes are cut off that no links join to the largest part`() throws {
        let ids = try (1...6).map { try #require(PeerID([UInt8](repeating: $0, count: 32))) }
        let stranger = try #require(PeerID([UInt8](repeating: 9, count: 32)))
        let links = [
            ids[0]: [ids[1]], ids[1]: [ids[0], ids[2]], ids[2]: [ids[1], stranger],
            ids[3]: [ids[4], stranger], ids[4]: [ids[3]], ids[5]: [stranger],
        ]
        #expect(CrowdFigures.countCutOff(links) == 3)
        #expect(CrowdFigures.countCutOff([:]) == 0)
    }

    @Test func `one node alone is an experiment too`() {
        let report = report { $0.nodes = 1 }
        #expect(report.messages == 30)
        #expect(report.deliveries.expected == 0)
        #expect(report.deliveries.missed == 0)
    }
}
