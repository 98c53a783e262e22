package import Bridge

/// The settings of a room's bridge.
package struct BridgeChoice: Hashable, Sendable {
    /// Nil for no bridge.
    package var brokers: BrokerList?
    /// The files of the bridge key, of the password at the brokers, and of trusted authorities; nil for none.
    package var key: String?
    package var password: String?
    package var authorities: String?

    package init() {}

    /// Checks that need all settings together.
    func check() throws(UsageError) {
        if brokers != nil, key == nil {
            throw UsageError("--bridge needs --bridge-key FILE; make one with earshot bridge new FILE")
        }
        if brokers == nil, key != nil || password != nil || authorities != nil {
            throw UsageError("--bridge-key, --bridge-password and --bridge-ca are of use only behind --bridge")
        }
    }
}

/// The settings of a command that is about a bridge.
protocol BridgeSettings: CommandSettings {
    var bridge: BridgeChoice { get set }
}

extension BridgeSettings {
    static var bridgeOptions: [Option<Self>] {
        [
            .value(
                "--bridge", "URL", "carry the room to other networks over these brokers (RabbitMQ)",
                wanted: "amqps://USER@HOST,HOST/VHOST without a password, or amqp:// on this machine",
                { BrokerList($0) }
            ) { $0.bridge.brokers = $1 },
            .file("--bridge-key", "the key that the bridges of the room share: the first line of this file") {
                $0.bridge.key = $1
            },
            .file("--bridge-password", "the password at the brokers: the first line of this file") {
                $0.bridge.password = $1
            },
            .file("--bridge-ca", "trust these authorities for brokers' certificates (default: the system's)") {
                $0.bridge.authorities = $1
            },
        ]
    }
}

/// The settings of `earshot bridge`.
package struct BridgeArguments: Hashable, Sendable {
    /// The file to make.
    package private(set) var file = ""

    package init() {}
}

extension BridgeArguments: CommandSettings {
    package static let command = Invocation.CommandName.bridge
    package static let summary = "make a key for the bridges of a room, in a file of your own for --bridge-key"
    package static let operands = "new FILE"
    package static let options: [Option<BridgeArguments>] = []

    package mutating func take(operands: [String]) throws(UsageError) {
        file = try verbAndObject(of: operands).object
    }
}
