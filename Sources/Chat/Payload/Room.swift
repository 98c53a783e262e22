package import Noise
import Wire

/// A room: its name, and what all its nodes derive from the name and the room's secret (Protocol.md section 3). The secret of
/// an open room is published, that of a private one is its key's.
package final class Room: Sendable {
    /// The room that a user gets without asking for another.
    package static let lobby = Room(openNamed: RoomName.lobby)

    /// In normalization form C; shown, and never sent.
    package let name: String
    /// Nil for an open room.
    package let key: RoomKey?
    /// In each payload.
    package let id: RoomID
    /// 8 hexadecimal digits, which name the room in mDNS (Protocol.md section 10).
    package let tag: String
    /// Mixed into each handshake.
    package let preSharedKey: PreSharedKey
    /// Both sides of a handshake begin with it.
    package let prologue: [UInt8]

    /// - Parameter name: a result of `RoomName.compose`.
    package convenience init(openNamed name: String) {
        self.init(name, key: nil, secret: .open)
    }

    /// A private room.
    ///
    /// - Parameters:
    ///   - name: a result of `RoomName.compose`.
    ///   - key: read for a room of that name.
    package convenience init(_ name: String, key: RoomKey) {
        self.init(name, key: key, secret: key.secret)
    }

    private init(_ name: String, key: RoomKey?, secret: RoomSecret) {
        let name = NFC.normalized(name)
        let bytes = Array(name.utf8)
        let digest = secret.identifier("earshot/3 room\0", name: bytes)
        guard let id = RoomID(Array(digest.prefix(RoomID.byteCount))) else {
            preconditionFailure("a SHA-256 digest has fewer than 16 bytes")
        }
        self.name = name
        self.key = key
        self.id = id
        tag = Hexadecimal.encode(secret.identifier("earshot/3 tag\0", name: bytes).prefix(Room.tagBytes))
        preSharedKey = secret.preSharedKey("earshot/3 psk\0", name: bytes)
        prologue = Array("earshot/3\0".utf8) + id.bytes
    }

    /// The room that a peer invited the user to.
    package convenience init(_ invitation: Invitation) {
        let isOpen = invitation.secret.allSatisfy { $0 == 0 }
        self.init(invitation.room, key: isOpen ? nil : RoomKey(RoomSecret(invitation.secret)))
    }

    private convenience init(_ name: String, key: RoomKey?) { self.init(name, key: key, secret: key?.secret ?? .open) }

    /// The invitation to this room. It has the room's secret: it is for a peer that the user invites, and is never shown.
    package var invitation: Invitation {
        Invitation(room: name, secret: (key?.secret ?? .open).copyBytes())
    }

    /// Whether a node of the one room is a node of the other.
    package func isSame(as other: Room) -> Bool { id == other.id }

    private static let tagBytes = 4

    package var isPrivate: Bool { key != nil }
}

extension Room: Equatable {
    package static func == (left: Room, right: Room) -> Bool { left.isSame(as: right) }
}

/// All that a peer needs to join a room (Protocol.md section 8).
package struct Invitation: Hashable, Sendable {
    /// The name as the inviting peer has it; checked, not made safe for display.
    package let room: String
    /// 32 bytes; zeros for an open room.
    let secret: [UInt8]
}
