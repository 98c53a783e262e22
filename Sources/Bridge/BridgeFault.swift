package import Phrases

/// Why a bridge has no broker.
package struct BridgeFault: Error, Hashable, Sendable {
    /// The step that failed.
    package enum Step: String, Sendable, CaseIterable { case name, tcp, tls, login, vhost, permission, ended }

    package let step: Step
    /// The broker's host and port.
    package let broker: String
    /// In the words of the system, of OpenSSL, or of the broker, of which at most 200 characters are kept.
    package let reason: String
    /// True if two bridges declared one stream at once, which RabbitMQ answers to one of them with an internal error. The next
    /// attempt finds the stream.
    let isCollision: Bool

    init(_ step: Step, _ broker: String, _ reason: String, isCollision: Bool = false) {
        (self.step, self.broker, self.reason) = (step, broker, String(reason.prefix(200)))
        self.isCollision = isCollision
    }

    /// For the user; not made safe for display.
    package var sentence: Sentence {
        let phrase: Phrase =
            switch step {
            case .name: .bridgeNoName
            case .tcp: .bridgeNoTCP
            case .tls: .bridgeNoTLS
            case .login: .bridgeNoLogin
            case .vhost: .bridgeNoVhost
            case .permission: .bridgeNoPermission
            case .ended: .bridgeEnded
            }
        return Sentence(phrase, broker, reason)
    }
}
