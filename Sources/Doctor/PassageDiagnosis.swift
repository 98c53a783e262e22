import Discovery
import Glibc
import Reactor

/// Judges what became of packets on an interface.
enum PassageDiagnosis {
    static func findings(_ observation: InterfaceObservation) -> [Finding] {
        let name = observation.interface.name
        let families = observation.families
        let open = families.filter { $0.mdns == .open }
        // One family is enough for finding each other.
        let severity: Finding.Severity = open.isEmpty ? .problem : .note
        let failures = families.compactMap { failure($0, on: name, severity) }
        let ok = Finding.ok(.mdns, on: name, "UDP port 5353 is open on \(name) (\(text(open)))")
        return (open.isEmpty ? [] : [ok]) + failures + defaults(open, on: name)
    }

    private static func failure(
        _ observation: FamilyObservation, on name: String, _ severity: Finding.Severity
    ) -> Finding? {
        let family = text([observation])
        let consequence = severity == .problem ? ", so no peer is found" : ", so no peer is found that way"
        let (code, message, advice): (Finding.Code, String, String)
        switch observation.mdns {
        case .open: return nil
        case .dropped:
            code = .firewall
            message = "what comes to UDP port 5353 on \(name) by \(family) is dropped\(consequence): a firewall here"
            advice = Advice.letInMDNS
        case .refused(let error) where error.errno == EPERM || error.errno == EACCES:
            code = .firewall
            message = "nothing may be sent to UDP port 5353 on \(name) by \(family)\(consequence): a firewall here"
            advice = "let UDP port 5353 out in its rules for what is sent: sudo nft list ruleset shows them"
        case .refused(let error) where error.errno == EADDRINUSE:
            code = .mdnsPortTaken
            message = "a program keeps UDP port 5353 for itself (\(family)), so no other program here hears mDNS"
            advice = "end it, or have it share the port; sudo ss -ulnp 'sport = 5353' names it"
        case .refused(let error):
            code = .noMulticastRoute
            message = "no multicast can be sent on \(name) by \(family)\(consequence): \(error.reason)"
            advice =
                observation.family == .ipv4
                ? "sudo ip route add 224.0.0.0/4 dev \(name)"
                : "sudo ip -6 route add multicast ff00::/8 dev \(name) table local"
        }
        return Finding(severity: severity, code: code, interface: name, message: message, advice: advice)
    }

    private static func defaults(_ families: [FamilyObservation], on name: String) -> [Finding] {
        let closed = families.filter { $0.otherPort == .dropped }
        guard !closed.isEmpty else { return [] }
        return [
            .note(
                .firewallDefault, on: name,
                "a firewall here drops what comes to ports on \(name) that it was not told of (\(text(closed))): "
                    + "perhaps no peer can dial this machine",
                "chat on a port of your choice (--port 40000), and \(Advice.letIn(40_000))")
        ]
    }

    private static func text(_ families: [FamilyObservation]) -> String {
        families.map { $0.family == .ipv4 ? "IPv4" : "IPv6" }.joined(separator: " and ")
    }
}
