package import CLinux
internal import Glibc

/// The path of a UNIX socket as the system's calls take it: `sockaddr_un`.
@safe
package struct UnixAddress {
    /// In bytes; the zero behind it is the last that the system has room for.
    package static let longestPath = 107

    private var storage = sockaddr_un()

    /// Nil for a path that is empty, longer than `longestPath`, or has a zero in it.
    package init?(_ path: String) {
        let bytes = Array(path.utf8)
        guard (1...UnixAddress.longestPath).contains(bytes.count), !bytes.contains(0) else { return nil }
        storage.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &storage.sun_path) { unsafe $0.copyBytes(from: bytes) }
    }

    /// Lends the address to a call that takes one.
    package func lend(to call: (UnsafePointer<sockaddr>, socklen_t) -> CInt) -> CInt {
        unsafe withUnsafePointer(to: storage) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe call($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}
