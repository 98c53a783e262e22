/// Why the signed bytes of a payload are not a payload (Protocol.md section 6).
package enum PayloadError: Error, Hashable, Sendable {
    /// Too short, too long, or a field holds a value that does not exist.
    case malformed
    /// A kind of a later version.
    case unknownKind(UInt8)
    case notUTF8
    case text(TextFault)
    case nickname
}
