package import Phrases

/// Why a bridge has no broker.
package struct BridgeFault: Error, Hashable, Sendable {
    /// The step that failed.
    package enum Step: String, Sendable, CaseIterable { case name, tcp, tls, login, vhost, permission, blocked, ended }

    package let step: Step
    /// The broker's host and port.
    package let broker: String
    /// In the words of the system, of OpenSSL, or of the broker, of which at most 200 characters are kept.
    package let reason: String
    /// True if another bridge declares the same stream just now. RabbitMQ answers the declaration of one of the two with an
    /// internal error, and so it does, or with a failed precondition, to one that consumes before the stream has a leader.
    /// An attempt soon after succeeds.
    let isPassing: Bool

    init(_ step: Step, _ broker: String, _ reason: String, isPassing: Bool = false) {
        (self.step, self.broker, self.reason) = (step, broker, String(reason.prefix(200)))
        self.isPassing = isPassing
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
            case .blocked: .bridgeBlocked
            case .ended: .bridgeEnded
            }
        return Sentence(phrase, broker, reason)
    }
}
