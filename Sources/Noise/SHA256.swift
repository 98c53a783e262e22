internal import Wire

/// SHA-256 (RFC 6234).
package enum SHA256 {
    /// The digest of the domain and the message, 32 bytes (Protocol.md sections 2, 3, 6 and 8).
    package static func hash(_ domain: Domain, _ message: Span<UInt8>) -> [UInt8] {
        let digest = domain.withBytes { Sodium.sha256($0, message) }
        return [UInt8](copying: digest.span)
    }

    /// The digest of the message alone, 32 bytes (Protocol.md section 8).
    package static func hash(_ message: Span<UInt8>) -> [UInt8] {
        let nothing: [UInt8] = []
        let digest = Sodium.sha256(message, nothing.span)
        return [UInt8](copying: digest.span)
    }
}
