package import Bridge
package import Reactor
package import Settings
package import Chat
package import ChatNode
import Hub
import Phrases
import Discovery

/// Examines this machine's network and says what was found.
package struct Doctor: Sendable {
    package let settings: DoctorSettings
    private let room: Room
    /// Nil unless the settings name brokers.
    private let bridge: (access: BrokerAccess, seal: BridgeSeal)?
    private let port: PortProbe

    /// - Parameters:
    ///   - room: the one of the settings.
    ///   - bridge: how the brokers of the settings are reached; nil for none.
    ///   - loop: where the port is tried; it is run by the caller.
    package init(
        _ settings: DoctorSettings, room: Room, bridge: (access: BrokerAccess, seal: BridgeSeal)?, loop: EventLoop
    ) {
        self.settings = settings
        self.bridge = bridge
        self.room = room
        port = PortProbe(on: loop, port: settings.port)
    }

    /// The output, within 4 s, and the exit code: 0 only if there is no problem.
    package func run() async throws(StartFailure) -> (output: [UInt8], code: CInt) {
        for name in settings.interfaces where !ProcessEnvironment.hasInterface(name) {
            throw StartFailure(noInterface: name)
        }
        let number = await port.listen()
        let observations: NetworkObservations
        do throws(SystemError) {
            let examination = try NetworkExamination(
                tag: room.tag, others: [Room.lobby.tag],
                interfaces: settings.interfaces, port: number)
            observations = try await examination.run()
        } catch {
            throw StartFailure(error)
        }
        let endpoints = observations.interfaces.filter { !$0.families.isEmpty }.flatMap(\.endpoints)
        let diagnosis = Diagnosis(
            observations, port: await port.dial(endpoints), room: room.name,
            further: await brokers() + gateway())
        let output = settings.isJSON ? DoctorReport.json(diagnosis) : Array(DoctorReport.plain(diagnosis).utf8)
        return (output, diagnosis.problems == 0 ? 0 : 1)
    }

    /// The finding on the port of an IRC gateway, at which a node may listen already.
    private func gateway() -> [Finding] {
        guard let wanted = settings.ircPort else { return [] }
        do throws(StartFailure) {
            let port = try LoopbackListeners(port: wanted, for: "--irc").port
            return [.ok(.gateway, "an IRC gateway can listen on port \(port) of this machine alone")]
        } catch {
            let advice = "stop the program that has the port, unless it is your node, or choose another with --irc"
            return [.note(.gateway, error.message, advice)]
        }
    }

    /// The findings on the brokers, which are asked one after the other, off the loop.
    @concurrent private func brokers() async -> [Finding] {
        guard let bridge else { return [] }
        guard let brokers = RabbitBridge.examine(bridge.access, bridge.seal) else {
            return [.problem(.broker, "librabbitmq.so.4 is not there", "install the package librabbitmq4")]
        }
        return brokers.map { broker, fault in
            guard let fault else { return .ok(.broker, "broker \(broker.name) takes what a bridge publishes") }
            return .problem(
                .broker, DisplayGuard.safe(fault.sentence.text(in: .english)), BrokerAdvice.remedy(for: fault.step))
        }
    }
}

/// Remedies for a broker that a bridge can not use.
private enum BrokerAdvice {
    static func remedy(for step: BridgeFault.Step) -> String {
        switch step {
        case .name: "check the name, and whether this machine resolves names"
        case .tcp: "check the port, that the broker runs, and the firewalls on the way"
        case .tls: "renew the certificate, use the name that is in it, or name its authority with --bridge-ca"
        case .login: "check the user in --bridge and the password in the file of --bridge-password"
        case .vhost: "check the vhost in --bridge, and that the user may enter it: rabbitmqctl set_permissions"
        case .permission: "rabbitmqctl set_permissions -p VHOST USER '^earshot' '^earshot' '^earshot'"
        case .blocked: "give the broker memory or disk space: rabbitmqctl status shows its alarms"
        case .ended: "see the broker's log"
        }
    }
}
