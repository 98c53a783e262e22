/// Why bytes are no session certificate (Protocol.md section 1).
package enum CertificateError: Error, Equatable {
    case wrongLength
    case unknownVersion
    case badSignature
    /// Something other than zeros follows it in a handshake message.
    case paddingNotZero
}
