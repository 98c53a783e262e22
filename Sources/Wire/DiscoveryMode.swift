/// The way in which peers are found.
package enum DiscoveryMode: String, Sendable {
    case daemon
    case embedded
    case none
}
