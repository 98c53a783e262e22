package import Wire

/// A frame 13: nodes that the sender has links with, and where it reached them (Protocol.md section 13).
package struct ContactsFrame: Hashable, Sendable {
    package struct Contact: Hashable, Sendable {
        package let peer: PeerID
        /// Its scope is not sent: for the receiver it is that of the link on which the frame came.
        package let endpoint: Endpoint

        package init(peer: PeerID, endpoint: Endpoint) {
            self.peer = peer
            self.endpoint = endpoint
        }
    }

    private static let families: [UInt8: Int] = [4: 4, 6: 16]

    package let contacts: [Contact]

    package init(contacts: [Contact]) {
        self.contacts = contacts
    }

    /// Nil for a body with a byte too many or too few, too many contacts, an unknown family or the port 0.
    ///
    /// - Parameter scope: that of the address at which the sender's link ends; only link-local addresses get it.
    package init?(_ body: Span<UInt8>, scope: UInt32) {
        var reader = ByteReader(body)
        guard let count = try? Int(reader.readUInt8()), count <= Limits.contactsTold else { return nil }
        var contacts: [Contact] = []
        for _ in 0..<count {
            guard let contact = try? ContactsFrame.read(&reader, scope: scope) else { return nil }
            contacts.append(contact)
        }
        guard reader.remaining == 0 else { return nil }
        self.init(contacts: contacts)
    }

    private static func read(_ reader: inout ByteReader, scope: UInt32) throws(TruncatedInput) -> Contact? {
        let peer = try reader.readPeerID()
        guard let length = families[try reader.readUInt8()] else { return nil }
        let address = try reader.readBytes(length)
        let port = try reader.readUInt16()
        guard port > 0 else { return nil }
        let endpoint = Endpoint(address: address, port: port)
        guard endpoint.isLinkLocalIPv6 else { return Contact(peer: peer, endpoint: endpoint) }
        return Contact(peer: peer, endpoint: Endpoint(address: address, port: port, scope: scope))
    }

    /// The whole frame, its type byte first.
    package var bytes: [UInt8] {
        precondition(contacts.count <= Limits.contactsTold, "\(contacts.count) contacts do not fit the smallest record")
        var writer = ByteWriter(capacity: 2 + 51 * contacts.count)
        writer.write([FrameType.contacts.rawValue, UInt8(contacts.count)])
        for contact in contacts {
            writer.write(contact.peer)
            writer.write(contact.endpoint.address.count == 4 ? 4 : 6 as UInt8)
            writer.write(contact.endpoint.address)
            writer.write(contact.endpoint.port)
        }
        return writer.bytes
    }
}
