package import Wire

/// A frame 13: nodes that the sender has links with, and where it reached them (Protocol.md section 13).
package struct ContactsFrame: Hashable, Sendable {
    package struct NodeContact: Hashable, Sendable {
        package let peer: PeerID
        /// Its scope is not sent: for the receiver it is that of the link on which the frame came.
        package let endpoint: Endpoint
    }

    private static let families: [UInt8: Int] = [4: 4, 6: 16]

    package let contacts: [NodeContact]
    /// Peers that the sender has links with and knows no endpoint of that the receiver could dial.
    package let named: [PeerID]

    package init(contacts: [NodeContact], named: [PeerID] = []) {
        (self.contacts, self.named) = (contacts, named)
    }

    /// Nil for a body with a byte too many or too few, too many contacts, an unknown family or the port 0.
    ///
    /// - Parameter scope: that of the address at which the sender's link ends; only link-local addresses get it.
    package init?(_ body: Span<UInt8>, scope: UInt32) {
        var reader = ByteReader(body)
        guard let count = try? Int(reader.readUInt8()), count <= Limits.contactsTold else { return nil }
        var (contacts, named): ([NodeContact], [PeerID]) = ([], [])
        for _ in 0..<count {
            guard let peer = try? reader.readPeerID(), let family = try? reader.readUInt8() else { return nil }
            guard family != 0 else {
                named.append(peer)
                continue
            }
            guard let contact = try? ContactsFrame.read(peer, family, &reader, scope: scope) else { return nil }
            contacts.append(contact)
        }
        guard reader.remaining == 0 else { return nil }
        self.init(contacts: contacts, named: named)
    }

    private static func read(
        _ peer: PeerID, _ family: UInt8, _ reader: inout ByteReader, scope: UInt32
    ) throws(TruncatedInput) -> NodeContact? {
        guard let length = families[family] else { return nil }
        let address = try reader.readBytes(length)
        let port = try reader.readUInt16()
        guard port > 0 else { return nil }
        let endpoint = Endpoint(address: address, port: port)
        guard endpoint.isLinkLocalIPv6 else { return NodeContact(peer: peer, endpoint: endpoint) }
        return NodeContact(peer: peer, endpoint: Endpoint(address: address, port: port, scope: scope))
    }

    /// The whole frame, its type byte first.
    package var bytes: [UInt8] {
        let count = contacts.count + named.count
        precondition(count <= Limits.contactsTold, "\(count) contacts do not fit the smallest record")
        var writer = ByteWriter(capacity: 2 + 51 * count)
        writer.write([FrameType.contacts.rawValue, UInt8(count)])
        for contact in contacts {
            writer.write(contact.peer)
            writer.write(contact.endpoint.address.count == 4 ? 4 : 6 as UInt8)
            writer.write(contact.endpoint.address)
            writer.write(contact.endpoint.port)
        }
        for peer in named {
            writer.write(peer)
            writer.write(0 as UInt8)
        }
        return writer.bytes
    }
}

extension Limits {
    /// Nodes in a `contacts` frame: as many as fit the smallest record. More take a larger record; with fewer, the
    /// links of a small room take several frames.
    static let contactsTold = 9
}
