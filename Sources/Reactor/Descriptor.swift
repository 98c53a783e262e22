internal import Glibc

/// A file descriptor with one owner, closed when the owner lets go of it.
package struct Descriptor: ~Copyable, Sendable {
    /// The descriptor's number; valid while this value lives.
    package let number: CInt

    /// Takes over an open descriptor.
    package init(owning number: CInt) {
        precondition(number >= 0, "\(number) is no file descriptor")
        self.number = number
    }

    /// Takes over what a call that makes descriptors has returned, or throws its errno.
    package init(_ call: String, _ result: CInt) throws(SystemError) {
        number = try SystemError.check(call, result)
    }

    /// Gives the open descriptor to another owner.
    package consuming func release() -> CInt {
        let number = number
        discard self
        return number
    }

    deinit {
        close(number)
    }
}
