/// The name that peers of a room are listed under, in the form in which packets have it.
struct BrowsedName: Hashable, Sendable {
    /// Labels with their lengths, in lower case, and the root.
    let wire: [UInt8]
    /// The same of the service type, which all that it points to ends with.
    let service = MDNSName(["_earshot", "_tcp"]).wire

    /// - Parameter type: what Avahi would browse for: `_r73b49a38._sub._earshot._tcp`.
    init(type: String) {
        wire = MDNSName(type.lowercased().split(separator: ".").map(String.init)).wire
    }
}
