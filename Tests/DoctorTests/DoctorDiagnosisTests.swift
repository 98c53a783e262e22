import ChatNode
import Glibc
import Reactor
import TestSupport
import Testing

@testable import Commands
@testable import Discovery
@testable import Doctor

@Suite struct DoctorDiagnosisTests {
    private static let lo = NetworkInterface(
        index: 1, name: "lo", isLoopback: true, hasMulticast: false,
        addresses: [InterfaceAddress(bytes: [127, 0, 0, 1], prefixLength: 8)])
    private static let card = NetworkInterface(
        index: 2, name: "eth0", addresses: [InterfaceAddress(bytes: [192, 0, 2, 7], prefixLength: 24)])

    private static func family(
        _ family: Family = .ipv4, mdns: FamilyObservation.Passage = .open, others: Set<[UInt8]> = [[192, 0, 2, 8]],
        _ change: (inout FamilyObservation) -> Void = { _ in }
    ) -> FamilyObservation {
        var observation = FamilyObservation(family: family)
        observation.mdns = mdns
        observation.otherPort = .open
        observation.isAnswered = mdns == .open
        observation.others = others
        change(&observation)
        return observation
    }

    /// A machine that is well, with one other node; until it is changed.
    private static func diagnose(
        _ families: [FamilyObservation] = [family()], interface: NetworkInterface = card,
        besides others: [NetworkInterface] = [], _ change: (inout NetworkObservations) -> Void = { _ in }
    ) -> Diagnosis {
        var observations = NetworkObservations()
        observations.daemon = .answers
        observations.nodes.peers = 1
        observations.interfaces =
            [InterfaceObservation(interface: lo), InterfaceObservation(interface: interface, families: families)]
            + others.map { InterfaceObservation(interface: $0) }
        change(&observations)
        return Diagnosis(observations, port: PortObservation(port: 40_000), room: "lobby")
    }

    private static func codes(_ diagnosis: Diagnosis, _ severity: Finding.Severity) -> Set<Finding.Code> {
        Set(diagnosis.findings.filter { $0.severity == severity }.map(\.code))
    }

    private static func error(_ errno: CInt) -> FamilyObservation.Passage {
        .refused(SystemError(call: "x", errno: errno))
    }

    @Test func `a machine that is well has neither problems nor notes`() {
        let diagnosis = Self.diagnose()
        #expect(diagnosis.findings.allSatisfy { $0.severity == .ok && $0.advice == nil })
        #expect(Set(diagnosis.findings.map(\.code)) == [.interface, .mdns, .daemon, .hostName, .port, .peers])
        #expect((diagnosis.problems, diagnosis.notes) == (0, 0))
    }

    @Test(arguments: [(0, Finding.Severity.ok), (1, .ok), (2, .note)])
    func `a clock without an offset in TCP packets is a note`(value: Int, severity: Finding.Severity) {
        let finding = Self.diagnose { $0.tcpTimestamps = value }.findings.first { $0.code == .timestamps }
        #expect(finding?.severity == severity)
        #expect(finding?.message.contains("net.ipv4.tcp_timestamps is \(value)") == true)
    }

    @Test(arguments: [3, -1]) func `an unknown value of it is not judged`(value: Int) {
        #expect(!Self.diagnose { $0.tcpTimestamps = value }.findings.contains { $0.code == .timestamps })
    }

    @Test(arguments: [
        (FamilyObservation.Passage.dropped, Finding.Code.firewall), (error(EPERM), .firewall),
        (error(EACCES), .firewall), (error(EADDRINUSE), .mdnsPortTaken), (error(ENETUNREACH), .noMulticastRoute),
        (error(ENODEV), .noMulticastRoute),
    ])
    func `a packet that does not come back is a problem, and a note where the other family carries`(
        passage: FamilyObservation.Passage, code: Finding.Code
    ) {
        let alone = Self.diagnose([Self.family(mdns: passage, others: [])]) { $0.nodes.peers = 0 }
        #expect(Self.codes(alone, .problem) == [code])
        #expect(Self.codes(alone, .note) == [])
        let beside = Self.diagnose([Self.family(mdns: passage), Self.family(.ipv6)])
        #expect(Self.codes(beside, .problem) == [])
        #expect(Self.codes(beside, .note) == [code])
    }

    @Test func `a firewall that lets mDNS in and drops the rest is a note`() {
        let diagnosis = Self.diagnose([Self.family { $0.otherPort = .dropped }])
        #expect(Self.codes(diagnosis, .problem) == [])
        #expect(Self.codes(diagnosis, .note) == [.firewallDefault])
    }

    @Test(arguments: [
        (NetworkObservations.Daemon.isAbsent, Finding.Severity.note, Finding.Code.noDaemon),
        (.hasNoBus, .note, .noDaemon), (.failed("access denied"), .note, .noDaemon),
        (.hangs, .problem, .daemonHangs), (.answers, .ok, .daemon),
    ])
    func `a daemon is not needed, but one that hangs is a problem`(
        daemon: NetworkObservations.Daemon, severity: Finding.Severity, code: Finding.Code
    ) {
        let diagnosis = Self.diagnose { $0.daemon = daemon }
        #expect(Self.codes(diagnosis, severity).contains(code))
        #expect(diagnosis.problems + diagnosis.notes == (severity == .ok ? 0 : 1))
    }

    @Test func `a responder that does not answer where packets pass is a problem`() {
        let silent = Self.family { $0.isAnswered = false }
        #expect(Self.codes(Self.diagnose([silent]), .problem) == [.responderSilent])
        #expect(Self.codes(Self.diagnose([silent]) { $0.daemon = .isAbsent }, .problem) == [.responderSilent])
        #expect(Self.codes(Self.diagnose([silent, Self.family(.ipv6)]), .problem) == [])
        let without = Self.diagnose([silent]) {
            $0.daemon = .isAbsent
            $0.embeddedFailure = "libavahi-core is missing"
        }
        #expect(Self.codes(without, .problem) == [.noResponder])
    }

    @Test func `nodes that are heard at no address of this network are a problem, and no peers`() throws {
        let none = Self.diagnose { $0.nodes.unreachable = 1 }
        #expect(Self.codes(none, .problem) == [.unreachable])
        #expect(!none.findings.contains { $0.code == .peers || $0.code == .nobody })
        let finding = try #require(none.findings.first { $0.code == .unreachable })
        #expect(finding.message.hasPrefix("1 node of the room lobby is heard, but at no address that can be reached"))
        let some = Self.diagnose { $0.nodes = NodeCounts(peers: 3, unreachable: 2) }
        #expect(Self.codes(some, .problem) == [.unreachable])
        #expect(some.findings.first { $0.code == .peers }?.message == "1 node of the room lobby answered")
    }

    @Test func `a published name is a note with its cost, and only an answer makes silence about it good news`() throws
    {
        let named = Self.diagnose([Self.family { $0.names = ["canary\u{1b}[2J.local"] }])
        let finding = try #require(named.findings.first { $0.code == .hostName })
        #expect(finding.severity == .note)
        #expect(finding.advice?.contains("no longer find this one by that name") == true)
        #expect(named.problems == 0)
        #expect(finding.message.contains("canary\u{fffd}[2J.local"))
        #expect(finding.advice?.contains("publish-addresses=no") == true)
        let other = Self.diagnose([Self.family { $0.names = ["canary.local"] }]) { $0.daemon = .isAbsent }
        #expect(other.findings.first { $0.code == .hostName }?.advice?.contains("resolved.conf") == true)
        let unknown = Self.diagnose([Self.family { $0.isAnswered = false }])
        #expect(!unknown.findings.contains { $0.code == .hostName })
        #expect(!Self.diagnose { $0.daemon = .hangs }.findings.contains { $0.code == .hostName })
    }

    @Test func `an empty room is a note, which says whether other rooms are heard`() {
        #expect(Self.codes(Self.diagnose { $0.nodes.peers = 0 }, .note) == [.nobody])
        let silent = Self.diagnose([Self.family(others: [])]) { $0.nodes.peers = 0 }
        #expect(Self.codes(silent, .note) == [.nobodyHeard])
        #expect(silent.problems == 0)
    }

    @Test func `an empty room beside rooms that are heard differs from silence`() throws {
        let diagnosis = Self.diagnose { $0.nodes = NodeCounts(others: 2) }
        let finding = try #require(diagnosis.findings.first { $0.code == .emptyRoom })
        #expect(
            finding.message
                == "other rooms are heard, with 2 nodes on other machines; the room lobby is empty")
        #expect(Self.codes(diagnosis, .note) == [.emptyRoom])
    }

    @Test func `a node on this machine is no other node`() throws {
        let alone = Self.diagnose([Self.family(others: [])]) { $0.nodes = NodeCounts(own: 1, ownOthers: 1) }
        let finding = try #require(alone.findings.first { $0.code == .ownNode })
        #expect((finding.severity, finding.message) == (.ok, "1 node of the room lobby runs on this machine"))
        #expect(!alone.findings.contains { $0.code == .peers })
        #expect(Self.codes(alone, .note) == [.nobodyHeard])
        let elsewhere = Self.diagnose { $0.nodes = NodeCounts(peers: 1, ownOthers: 2) }
        let own = elsewhere.findings.first { $0.code == .ownNode }
        #expect(own?.message == "2 nodes of other rooms run on this machine")
        #expect(elsewhere.notes == 0)
    }

    @Test func `a virtual interface is a note while no host is heard on it`() {
        for kind in ["veth", "bridge"] {
            var virtual = Self.card
            virtual.kind = kind
            #expect(Self.codes(Self.diagnose(interface: virtual), .note) == [])
            let silent = Self.diagnose([Self.family(others: [])], interface: virtual)
            #expect(Self.codes(silent, .note) == [.virtualInterface])
        }
    }

    @Test func `a tunnel beside a network is a note, and alone a problem`() {
        var tunnel = Self.card
        tunnel.isPointToPoint = true
        var deaf = Self.card
        deaf.hasMulticast = false
        #expect(Self.codes(Self.diagnose(besides: [tunnel, deaf]), .note) == [.tunnel, .multicastOff])
        for interface in [tunnel, deaf] {
            let alone = Self.diagnose([], interface: interface) { $0.nodes.peers = 0 }
            #expect(Self.codes(alone, .problem) == [.noMulticast])
        }
    }

    @Test func `only loopback, and not even that`() throws {
        var idle = [Self.card, Self.card, Self.card]
        idle[0].isUp = false
        idle[1].isRunning = false
        idle[2].addresses = []
        for (interface, reason) in zip(idle, ["is down", "has no carrier", "has no address"]) {
            let diagnosis = Self.diagnose([], interface: interface) { $0.nodes.peers = 0 }
            #expect(Self.codes(diagnosis, .problem) == [.onlyLoopback])
            #expect(diagnosis.findings.first?.message.hasSuffix("eth0 \(reason)") == true)
        }
        #expect(Self.codes(Self.diagnose { $0.interfaces = [] }, .problem) == [.noNetwork])
        // Nothing but an interface that was named, and is idle.
        let named = Self.diagnose { $0.interfaces = [InterfaceObservation(interface: idle[0])] }
        #expect(Self.codes(named, .problem) == [.noNetwork])
        #expect(named.findings.first?.message.hasSuffix("eth0 is down") == true)
    }

    @Test func `an address that can not be dialled is a problem`() throws {
        let port = PortObservation(port: 40_000, lost: [[192, 0, 2, 7]])
        let diagnosis = Diagnosis(NetworkObservations(), port: port, room: "lobby")
        let finding = try #require(diagnosis.findings.first { $0.code == .firewallPort })
        #expect(finding.severity == .problem)
        #expect(finding.message.contains("at 192.0.2.7:"))
        let closed = PortObservation(port: 80, failure: .system(call: "bind", errno: EACCES))
        let codes = Diagnosis(NetworkObservations(), port: closed, room: "lobby").findings.map(\.code)
        #expect(codes.contains(.port) && !codes.contains(.firewallPort))
    }

    @Test(arguments: [
        ([192, 0, 2, 7], "192.0.2.7"), ([UInt8](repeating: 0, count: 16), "::"),
        ([UInt8](repeating: 0, count: 15) + [1], "::1"),
        ([0xfe, 0x80] + [UInt8](repeating: 0, count: 6) + [1, 2, 3, 4, 5, 6, 7, 8], "fe80::102:304:506:708"),
        ([0x20, 1, 0xd, 0xb8, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0], "2001:db8:0:1::"),
        ([0, 1, 0, 0, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 7], "1:0:2:3:4:5:6:7"),
    ])
    func `addresses are shown as people write them`(address: [UInt8], text: String) {
        #expect(AddressText.text(address) == text)
    }

    @Test func `every finding is a line of JSON, and the last line counts`() throws {
        let diagnosis = Self.diagnose([Self.family(mdns: .dropped)]) { $0.daemon = .isAbsent }
        let lines = DoctorReport.json(diagnosis).split(separator: 0x0a).map(Array.init)
        #expect(lines.count == diagnosis.findings.count + 1)
        for (line, finding) in zip(lines, diagnosis.findings) {
            let value = try TestedJSON(parsing: line)
            #expect(value["event"]?.text == "finding")
            #expect(value["code"]?.text == finding.code.rawValue)
            #expect(value["severity"]?.text == finding.severity.rawValue)
            #expect(value["message"]?.text == finding.message)
            #expect(value["advice"]?.text == finding.advice)
            #expect(value["interface"]?.text == finding.interface)
        }
        let summary = String(decoding: lines[lines.count - 1], as: UTF8.self)
        #expect(
            summary
                == "{\"event\":\"summary\",\"version\":\"\(Version.current)\",\"problems\":\(diagnosis.problems),"
                + "\"notes\":\(diagnosis.notes)}")
    }

    @Test func `people get a line for each finding, and what to do below it`() {
        let text = DoctorReport.plain(Self.diagnose { $0.daemon = .hangs })
        #expect(
            text.contains(
                "\nproblem  the Avahi daemon does not answer; Earshot asks and answers mDNS itself\n"
                    + "         -> sudo systemctl restart avahi-daemon\n"))
        #expect(text.hasPrefix("ok       eth0 is up"))
        #expect(text.hasSuffix("\n\n1 problem, no notes\n"))
    }
}
