package import Wire

/// From where something came, for quotas: the address of the machine whose link brought it, or the neighbour's key where the
/// address says nothing. Keys cost nothing, addresses do.
package struct Giver: Hashable, Sendable {
    private let bytes: [UInt8]

    package init(address: [UInt8]) { bytes = address }

    package init(_ neighbour: PeerID) { bytes = neighbour.bytes }
}

/// The givers behind the links.
struct Givers: Sendable {
    private var links: [PeerID: Giver] = [:]

    /// Notes the giver behind a neighbour's link; nil forgets it.
    mutating func set(_ giver: Giver?, for neighbour: PeerID) { links[neighbour] = giver }

    func giver(of payload: VerifiedPayload) -> Giver {
        let neighbour = payload.neighbour ?? payload.author
        return links[neighbour] ?? Giver(neighbour)
    }
}
