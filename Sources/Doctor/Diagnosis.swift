import ChatNode
import Discovery

/// The results of dialling this machine's own addresses at one port.
struct PortObservation: Hashable, Sendable {
    package let port: UInt16
    /// The reason why listening there failed, though the port is free; nil as a rule.
    package var failure: TransportError?
    /// The addresses at which it could not be reached.
    package var lost: Set<[UInt8]> = []
}

/// Judges what was seen: the same observations always lead to the same findings.
struct Diagnosis: Hashable, Sendable {
    let findings: [Finding]

    init(_ observations: NetworkObservations, port: PortObservation, room: String, further: [Finding] = []) {
        let used = observations.interfaces.filter { !$0.families.isEmpty }
        let outward = used.filter { !$0.interface.isLoopback }
        findings =
            InterfaceDiagnosis(observations.interfaces, outward: outward).findings
            + used.flatMap(PassageDiagnosis.findings)
            + ResponderDiagnosis(observations, used: used).findings
            + Diagnosis.findings(on: port)
            + Diagnosis.findings(onTimestamps: observations.tcpTimestamps)
            + PeerDiagnosis(observations.nodes, room: room, outward: outward).findings
            + further
    }

    var problems: Int { count(.problem) }

    var notes: Int { count(.note) }

    private func count(_ severity: Finding.Severity) -> Int { findings.count { $0.severity == severity } }

    private static func findings(on port: PortObservation) -> [Finding] {
        if let failure = port.failure {
            return [
                .problem(
                    .port, "no program can listen on TCP port \(port.port): \(failure)", "choose another with --port")
            ]
        }
        let lost = port.lost.map(AddressText.text).sorted()
        if lost.isEmpty {
            return [
                .ok(
                    .port,
                    "TCP port \(port.port) takes connections; whether it does so from outside, only others can try")
            ]
        }
        return [
            .problem(
                .firewallPort,
                "a firewall on this machine drops TCP port \(port.port), at \(lost.joined(separator: ", ")): "
                    + "no peer can dial it", Advice.letIn(port.port))
        ]
    }

    /// The meaning of the values is that of the kernel's Documentation/networking/ip-sysctl.rst.
    private static func findings(onTimestamps value: Int?) -> [Finding] {
        switch value {
        case 0: return [.ok(.timestamps, "TCP packets of this machine show no clock (net.ipv4.tcp_timestamps is 0)")]
        case 1:
            return [
                .ok(
                    .timestamps,
                    "the clock in TCP packets has a random offset in each connection (net.ipv4.tcp_timestamps is 1)")
            ]
        case 2:
            return [
                .note(
                    .timestamps,
                    "TCP packets tell every observer when this machine was started (net.ipv4.tcp_timestamps is 2), "
                        + "and so which connections are of it, under other addresses too",
                    "sudo sysctl -w net.ipv4.tcp_timestamps=1, and the same line in /etc/sysctl.d for the next start")
            ]
        default: return []
        }
    }
}

/// Advice that several findings give.
enum Advice {
    static func letIn(_ port: UInt16) -> String {
        "let it in: sudo ufw allow \(port)/tcp, or sudo firewall-cmd --permanent --add-port=\(port)/tcp "
            + "and sudo firewall-cmd --reload"
    }

    static let letInMDNS =
        "let UDP port 5353 in: sudo ufw allow 5353/udp, or sudo firewall-cmd --permanent --add-service=mdns "
        + "and sudo firewall-cmd --reload"
}
