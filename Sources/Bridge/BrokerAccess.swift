import Noise
import Synchronization

/// How a bridge gets in at its brokers.
package final class BrokerAccess: Sendable {
    package let list: BrokerList
    /// Of certificates of authorities that are trusted; nil for those of the system.
    package let authorities: String?
    /// Never changed: the lock lets threads share it.
    private let password: Mutex<Secret>

    package init(_ list: BrokerList, authorities: String?, password: [UInt8]) {
        (self.list, self.authorities) = (list, authorities)
        let secret = Secret(count: password.count + 1, protection: .guarded) { secret in
            for index in password.indices { secret[index] = password[index] }
        }
        self.password = Mutex(secret)
    }

    /// A copy of the password as a string of C, to be zeroed by the caller.
    func copyPassword() -> [CChar] {
        password.withLock { password in
            var copy: [CChar] = []
            for index in 0..<password.count { copy.append(CChar(bitPattern: password.span[index])) }
            return copy
        }
    }
}
