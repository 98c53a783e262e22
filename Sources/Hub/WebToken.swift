import Glibc
import Noise
package import Reactor
import Wire

/// The secret that lets a program of the same user in: 128 random bits, of one run or kept in a file.
package struct WebToken: Hashable, Sendable {
    /// 32 hexadecimal digits.
    package let text: String

    package init() {
        var randomness = Randomness.system
        text = Hexadecimal.encode(randomness.bytes(16))
    }

    /// - Returns: nil for a text that is not 32 hexadecimal digits.
    package init?(_ text: String) {
        let text = text.lowercased()
        guard Hexadecimal.decode(text)?.count == 16 else { return nil }
        self.text = text
    }

    /// Compares in a time that tells nothing about the token.
    package func isEqual(to other: String) -> Bool {
        let (own, given) = (Array(text.utf8), Array(other.utf8))
        var difference = UInt8(own.count == given.count ? 0 : 1)
        for index in own.indices { difference |= own[index] ^ (index < given.count ? given[index] : 0) }
        return difference == 0
    }
}

/// The file in which other programs of the user find the link of the page and the token; it is removed at the end.
package final class WebTokenFile: Sendable {
    package let path: String

    /// Writes a new file with mode 0600.
    ///
    /// - Throws: the refusal of the system.
    package init(_ path: String, _ text: String) throws(SystemError) {
        self.path = path
        try replace(with: text)
    }

    /// Writes the file anew; a reader finds the old text or the new one.
    ///
    /// - Throws: the refusal of the system.
    package func replace(with text: String) throws(SystemError) {
        _ = unsafe unlink(leaderPath)
        let new = path + ".new"
        _ = unsafe unlink(new)
        try WebTokenFile.create(new, text)
        try SystemError.check("rename", unsafe rename(new, path))
    }

    /// Leads a browser to the link, once: all users of the machine can read the arguments of a browser, and this file its owner alone.
    package var leaderPath: String { path + ".html" }

    /// Writes a page at `leaderPath` that leads to a link. It is removed when a link was used, and at the end.
    ///
    /// - Throws: the refusal of the system.
    package func lead(to link: String) throws(SystemError) {
        _ = unsafe unlink(leaderPath)
        try WebTokenFile.create(
            leaderPath,
            "<!doctype html><meta charset=\"utf-8\"><title>Earshot</title>"
                + "<meta http-equiv=\"refresh\" content=\"0;url=\(link)\"><a href=\"\(link)\">Earshot</a>")
    }

    /// False once a link was used, or at the end.
    package var leads: Bool { unsafe access(leaderPath, F_OK) == 0 }

    private static func create(_ path: String, _ text: String) throws(SystemError) {
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW
        let file = Descriptor(owning: try SystemError.check("open", unsafe open(path, flags, 0o600)))
        let bytes = Array((text + "\n").utf8)
        let count = unsafe bytes.withUnsafeBufferPointer { unsafe write(file.number, $0.baseAddress, $0.count) }
        guard count == bytes.count else { throw .last("write") }
    }

    /// More than once does no harm.
    package func remove() {
        _ = unsafe unlink(path)
        _ = unsafe unlink(leaderPath)
    }
}
