internal import Glibc

/// A system call that failed: its name and its errno.
package struct SystemError: Error, Hashable, Sendable, CustomStringConvertible {
    package let call: String
    package let errno: CInt

    package init(call: String, errno: CInt) {
        self.call = call
        self.errno = errno
    }

    /// The error that `call`, which has just failed on this thread, left behind.
    package static func last(_ call: String) -> SystemError {
        SystemError(call: call, errno: Glibc.errno)
    }

    /// The result of a call that tells failure by a negative number.
    @discardableResult
    package static func check(_ call: String, _ result: CInt) throws(SystemError) -> CInt {
        guard result >= 0 else { throw last(call) }
        return result
    }

    /// True if the system is short of descriptors, threads or memory.
    package var isShortage: Bool {
        switch errno {
        case EMFILE, ENFILE, ENOMEM, ENOBUFS, EAGAIN: true
        case _: false
        }
    }

    /// For example `bind: address already in use`.
    package var description: String { "\(call): \(reason)" }

    /// The system's words for the errno, in lower case as the middle of a sentence.
    package var reason: String {
        var buffer = [CChar](repeating: 0, count: 128)
        let isKnown = unsafe strerror_r(errno, &buffer, buffer.count) == 0
        guard isKnown else { return "error \(errno)" }
        let bytes = buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        let words = String(decoding: bytes, as: UTF8.self)
        return words.prefix(1).lowercased() + words.dropFirst()
    }
}
