/// The program's version, as `--version` and the `ready` event give it.
package enum Version {
    package static let current = "0.1.0"
    /// The date of its release, as manual pages write it.
    package static let date = "November 21, 2026"
}
