import Chat
import Discovery

/// Judges the responders that answer mDNS for this machine, and what they answer about.
struct ResponderDiagnosis {
    private let observations: NetworkObservations
    private let used: [InterfaceObservation]

    /// - Parameter used: the interfaces that packets were tried on.
    init(_ observations: NetworkObservations, used: [InterfaceObservation]) {
        self.observations = observations
        self.used = used
    }

    var findings: [Finding] {
        if let failure = observations.embeddedFailure { return daemon + [noResponder(failure)] + names }
        return daemon + silent + names
    }

    private var daemon: [Finding] {
        let restart = "sudo systemctl restart avahi-daemon"
        let alone = "; Earshot asks and answers mDNS itself"
        switch observations.daemon {
        case .answers: return [.ok(.daemon, "the Avahi daemon answers")]
        case .isAbsent:
            return [.note(.noDaemon, "no Avahi daemon runs\(alone)", "nothing has to be done")]
        case .hasNoBus:
            return [
                .note(
                    .noDaemon, "there is no system bus (D-Bus) to ask an Avahi daemon by\(alone)",
                    "nothing has to be done")
            ]
        case .failed(let reason):
            return [.note(.noDaemon, "the Avahi daemon can not be used: \(reason)\(alone)", restart)]
        case .hangs: return [.problem(.daemonHangs, "the Avahi daemon does not answer\(alone)", restart)]
        }
    }

    private func noResponder(_ reason: String) -> Finding {
        .problem(
            .noResponder, "Earshot can not answer mDNS itself: \(reason)",
            "install libavahi-core7, or start the Avahi daemon")
    }

    /// Where its own packets come back, the responder's must.
    private var silent: [Finding] {
        let interfaces = used.filter { interface in
            interface.families.contains { $0.mdns == .open } && !interface.families.contains(where: \.isAnswered)
        }
        return interfaces.map { observation in
            let name = observation.interface.name
            guard observations.daemon == .answers else {
                return .problem(
                    .responderSilent, on: name, "what Earshot publishes by itself is not answered on \(name)",
                    "sudo systemctl start avahi-daemon has the daemon do it")
            }
            return .problem(
                .responderSilent, on: name, "the Avahi daemon does not answer on \(name)",
                "look for allow-interfaces, deny-interfaces, use-ipv4 and use-ipv6 in /etc/avahi/avahi-daemon.conf; "
                    + "or chat with --discovery embedded")
        }
    }

    private var names: [Finding] {
        let names = Set(used.flatMap(\.families).flatMap(\.names)).map(DisplayGuard.safe).sorted()
        if !names.isEmpty { return [published(names)] }
        // A daemon that hangs keeps silent about what it publishes.
        guard observations.daemon != .hangs, used.flatMap(\.families).contains(where: \.isAnswered) else { return [] }
        return [.ok(.hostName, "mDNS does not tell the name of this machine")]
    }

    /// A note, because a machine that publishes its name chats as well as another.
    private func published(_ names: [String]) -> Finding {
        let cost = "other machines then no longer find this one by that name, for ssh, printers or shared files"
        let what = "the name of this machine (\(names.joined(separator: ", "))) is given to every host that asks for it"
        guard observations.daemon == .answers else {
            return .note(
                .hostName, "\(what), by an mDNS responder other than Avahi's",
                "if that is to end, and it is systemd-resolved: MulticastDNS=resolve in /etc/systemd/resolved.conf, "
                    + "then sudo systemctl restart systemd-resolved; \(cost)")
        }
        return .note(
            .hostName, "\(what), by the Avahi daemon, with or without Earshot",
            "if that is to end: publish-addresses=no under [publish] in /etc/avahi/avahi-daemon.conf, "
                + "then sudo systemctl restart avahi-daemon; \(cost)")
    }
}
