import ChatNode
import Discovery

/// Judges the interfaces by what the kernel says of them.
struct InterfaceDiagnosis {
    private let all: [InterfaceObservation]
    private let outward: [InterfaceObservation]

    /// - Parameter outward: those that lead out of this machine and carry multicast.
    init(_ all: [InterfaceObservation], outward: [InterfaceObservation]) {
        self.all = all
        self.outward = outward
    }

    var findings: [Finding] {
        if outward.isEmpty { return [nothingOutward] }
        return outward.map(Self.ok) + outward.compactMap(Self.virtual) + unfit.map(Self.note)
    }

    /// Those that are up and have an address, and carry no multicast all the same.
    private var unfit: [NetworkInterface] {
        all.filter { $0.families.isEmpty }.map(\.interface).filter {
            $0.isUp && $0.isRunning && !$0.isLoopback && !$0.addresses.isEmpty && !$0.carriesMulticast
        }
    }

    private var nothingOutward: Finding {
        let unfit = unfit
        guard unfit.isEmpty else {
            let reasons = unfit.map { "\($0.name) \(Self.reason($0))" }.joined(separator: ", ")
            let repair = unfit.first { !$0.isPointToPoint }.map { Self.switchOn($0.name) + "; or " } ?? ""
            return .problem(
                .noMulticast, "no network interface carries multicast, by which peers are found: \(reasons)",
                repair + "use a local network, or dial peers with --peer HOST:PORT")
        }
        let idle = all.map(\.interface).filter { !$0.isLoopback }
        let reasons = idle.map { "\($0.name) \(Self.idleness($0))" }.joined(separator: ", ")
        guard all.contains(where: { $0.interface.isLoopback && $0.interface.isUp }) else {
            return .problem(
                .noNetwork, "no network interface can be used" + (idle.isEmpty ? "" : ": " + reasons),
                "ip address lists them; switch the network on")
        }
        return .problem(
            .onlyLoopback,
            "only nodes on this machine can be found, by loopback: "
                + (idle.isEmpty ? "there is no other network interface" : reasons),
            "connect this machine to a network; in a container, use the host's (docker run --network host)")
    }

    private static func ok(_ observation: InterfaceObservation) -> Finding {
        let addresses = observation.endpoints.map { AddressText.text($0.address) }.joined(separator: ", ")
        let name = observation.interface.name
        return .ok(.interface, on: name, "\(name) is up and carries multicast: \(addresses)")
    }

    /// Containers have a virtual cable, and bridges hold their other ends: multicast without an answer there was perhaps
    /// never meant to leave the machine.
    private static func virtual(_ observation: InterfaceObservation) -> Finding? {
        let kind = observation.interface.kind
        guard kind == "veth" || kind == "bridge", observation.families.allSatisfy(\.others.isEmpty) else { return nil }
        let name = observation.interface.name
        return .note(
            .virtualInterface, on: name,
            "\(name) is virtual (\(kind)) and no host is heard on it: a container's network lets no multicast out",
            "in a container, use the host's network (docker run --network host), or --peer HOST:PORT")
    }

    private static func note(_ interface: NetworkInterface) -> Finding {
        let message = "\(interface.name) \(reason(interface)), so no peer is found through it"
        return interface.isPointToPoint
            ? .note(.tunnel, on: interface.name, message, "dial who is behind it with --peer HOST:PORT")
            : .note(.multicastOff, on: interface.name, message, switchOn(interface.name))
    }

    private static func reason(_ interface: NetworkInterface) -> String {
        interface.isPointToPoint ? "is a tunnel, which carries no multicast" : "has multicast switched off"
    }

    private static func idleness(_ interface: NetworkInterface) -> String {
        if !interface.isUp { return "is down" }
        return interface.isRunning ? "has no address" : "has no carrier"
    }

    private static func switchOn(_ name: String) -> String { "sudo ip link set \(name) multicast on" }
}
