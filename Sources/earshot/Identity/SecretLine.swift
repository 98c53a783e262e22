import Reactor
import Glibc
import Noise
import Wire

/// A secret on one line of a descriptor, taken into memory that is wiped: never from the command line or the environment, which
/// others can read.
struct SecretLine {
    /// In bytes. A line is taken as the bytes that it is typed as.
    static let longest = 1_024

    static let passPhrase = SecretLine(name: "pass phrase", option: "--passphrase-fd")
    static let key = SecretLine(name: "key", option: "--key-fd")

    /// The kind of secret, for errors.
    private let name: String
    /// The option that names the descriptor.
    private let option: String

    /// The first line that is no comment (`EditedText`) of a descriptor that the caller has opened.
    func take(from descriptor: CInt) throws(StartFailure) -> Secret {
        guard fcntl(descriptor, F_GETFD) >= 0 else {
            throw StartFailure("there is no descriptor \(descriptor); open one, as in \(option) 3 3< FILE")
        }
        defer { if descriptor > Descriptors.diagnostics { _ = close(descriptor) } }
        while true {
            var hasEnded = false
            let line = try read(from: descriptor, &hasEnded) { Descriptors.waitToRead(descriptor) }
            if !EditedText.isPassedOver(line.span) { return line.prefix(line.count) }
            if hasEnded { throw StartFailure("\(name) is empty; give one") }
        }
    }

    /// A line as it was typed, without its end.
    func line(from descriptor: CInt, waiting wait: () -> Void) throws(StartFailure) -> Secret {
        var hasEnded = false
        let line = try read(from: descriptor, &hasEnded, waiting: wait)
        guard line.count > 0 else { throw StartFailure("\(name) is empty; give one") }
        return line
    }

    /// The next line without its end. Not a byte behind the line is read.
    private func read(
        from descriptor: CInt, _ hasEnded: inout Bool, waiting wait: () -> Void
    ) throws(StartFailure) -> Secret {
        var (count, isLast) = (0, false)
        var failure: SystemError?
        let bytes = Secret(count: SecretLine.longest + 1, protection: .guarded) { bytes in
            unsafe bytes.withUnsafeMutableBytes { buffer in
                while count < buffer.count {
                    wait()
                    let place = unsafe buffer.baseAddress?.advanced(by: count)
                    let result = unsafe Glibc.read(descriptor, place, 1)
                    if result < 0, errno == EINTR || errno == EAGAIN { continue }
                    if result < 0 { failure = SystemError.last("read") }
                    isLast = result <= 0
                    guard result > 0, unsafe buffer[count] != 0x0a else { return }
                    count += 1
                }
            }
        }
        if let failure { throw StartFailure("\(name): \(failure); see where it comes from") }
        guard count <= SecretLine.longest else {
            throw StartFailure("\(name) is over \(SecretLine.longest) bytes; give a shorter one")
        }
        hasEnded = isLast
        let typed = bytes.prefix(count)
        return typed.part(EditedText.line(typed.span))
    }
}
