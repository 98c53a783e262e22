import Glibc

/// The environment of this process.
package enum ProcessEnvironment {
    package static func value(_ name: String) -> String? {
        guard let value = unsafe getenv(name) else { return nil }
        return unsafe String(cString: value)
    }

    /// Whether this machine has a network interface of that name now.
    package static func hasInterface(_ name: String) -> Bool { unsafe if_nametoindex(name) != 0 }
}
