import Process
import Glibc
import Noise
import Reactor

/// Takes a pass phrase from the terminal or from a descriptor, into memory that is wiped: never from the command line or the
/// environment, which others can read.
enum PassPhrase {
    /// In bytes. A phrase is taken as the bytes that it is typed as.
    static let longest = 1_024

    /// The first line of a descriptor that the caller has opened, or what is typed at the terminal.
    static func take(from descriptor: CInt?, for file: String) throws(StartFailure) -> Secret {
        guard let descriptor else { return try HiddenQuestion.ask("pass phrase for \(file): ") }
        return try take(from: descriptor)
    }

    /// A pass phrase for a new file: typed twice, because it is not shown.
    static func takeNew(from descriptor: CInt?, for file: String) throws(StartFailure) -> Secret {
        let phrase = try take(from: descriptor, for: file)
        guard descriptor == nil else { return phrase }
        let again = try HiddenQuestion.ask("the same again: ")
        guard phrase.isEqual(to: again) else {
            throw StartFailure("the two pass phrases differ, and nothing was made; try again")
        }
        return phrase
    }

    private static func take(from descriptor: CInt) throws(StartFailure) -> Secret {
        guard fcntl(descriptor, F_GETFD) >= 0 else {
            throw StartFailure("there is no descriptor \(descriptor); open one, as in --passphrase-fd 3 3< FILE")
        }
        defer { if descriptor > Descriptors.diagnostics { _ = close(descriptor) } }
        return try line(from: descriptor) { Descriptors.waitToRead(descriptor) }
    }

    /// A line without its end. Not a byte behind the line is read.
    static func line(from descriptor: CInt, waiting wait: () -> Void) throws(StartFailure) -> Secret {
        var count = 0
        var failure: SystemError?
        let bytes = Secret(count: longest + 1, protection: .guarded) { bytes in
            unsafe bytes.withUnsafeMutableBytes { buffer in
                while count < buffer.count {
                    wait()
                    let place = unsafe buffer.baseAddress?.advanced(by: count)
                    let result = unsafe read(descriptor, place, 1)
                    if result < 0, errno == EINTR || errno == EAGAIN { continue }
                    if result < 0 { failure = SystemError.last("read") }
                    guard result > 0, unsafe buffer[count] != 0x0a else { return }
                    count += 1
                }
            }
        }
        if let failure { throw StartFailure("pass phrase: \(failure); see where it comes from") }
        guard count > 0 else { throw StartFailure("pass phrase is empty; give one") }
        guard count <= longest else { throw StartFailure("pass phrase is over \(longest) bytes; give a shorter one") }
        return bytes.prefix(count)
    }
}
