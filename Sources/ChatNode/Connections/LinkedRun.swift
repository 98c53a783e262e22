import Noise

/// A run of somebody whom there is a link to, as discovery knows it: by its names alone.
package struct LinkedRun: Hashable, Sendable {
    private let key: PublicKey

    /// - Parameter key: the Noise key that its handshake has proven.
    init(_ key: PublicKey) { self.key = key }

    /// Whether an instance's name is one of this run (Protocol.md section 10).
    package func owns(_ name: InstanceName) -> Bool { name.belongs(to: key) }
}
