@testable import Noise

extension Secret {
    /// The bytes of a vector, which are no secret.
    init(copying bytes: [UInt8]) {
        self.init(count: bytes.count, protection: .transient) { secret in
            for index in bytes.indices { secret[index] = bytes[index] }
        }
    }
}

extension KeyPair {
    init(copying bytes: [UInt8]) {
        self.init(secret: Secret(copying: bytes))
    }
}
