import Noise
package import Wire

/// The part of a room that an address belongs to, so that a node can ask a random part of a crowd for its peers (Protocol.md
/// section 10).
///
/// A host can not choose the bucket of its address, so two random buckets are a fair sample of all addresses.
package struct AddressBucket: Hashable, Sendable {
    /// The number of nodes that one stands for that has answered, since only the members of the asked buckets may.
    package static func weight(isWide: Bool) -> Int { (isWide ? 16 : 256) / Limits.askedBuckets }

    /// One of 256; its upper four bits are one of 16.
    package let byte: UInt8

    package init(_ byte: UInt8) { self.byte = byte }

    /// - Parameters:
    ///   - address: 4 or 16 bytes.
    ///   - subtype: that of the room's announcements.
    package init(of address: [UInt8], in subtype: String) {
        let message = Array(subtype.utf8) + address
        self.init(SHA256.hash(message.span)[0])
    }

    /// The subtype of a sixteenth of the room: one digit.
    package func wideSubtype(of subtype: String) -> String { "\(subtype)-\(String(byte >> 4, radix: 16))" }

    /// The subtype of a 256th of it: two digits.
    package func narrowSubtype(of subtype: String) -> String {
        "\(wideSubtype(of: subtype))\(String(byte & 15, radix: 16))"
    }

    /// Whether both are in the same sixteenth.
    package func isNear(_ other: AddressBucket) -> Bool { byte >> 4 == other.byte >> 4 }
}

extension Limits {
    /// Buckets that a node of a crowd asks for. More answers cost the network more multicast traffic; with fewer, one
    /// bucket of an attacker's addresses decides what a newcomer hears.
    package static let askedBuckets = 2
    /// Sources that answer for 256ths below which a node asks for sixteenths. With more, a large crowd answers with
    /// more packets; with fewer, a newcomer's choice is of few candidates.
    package static let bucketSources = 16
}
