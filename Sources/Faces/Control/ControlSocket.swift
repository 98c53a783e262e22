import CLinux
import Glibc
package import Reactor
import Storage

/// The socket at which other programs of this user reach a running node, and the lock that makes it this node's.
///
/// The lock decides, so that of two nodes that start together one has it; a socket without a listener was left by a node
/// that was killed.
package struct ControlSocket: ~Copyable, Sendable {
    package enum Failure: Error, Hashable, Sendable {
        /// By the process of that number, if the system tells.
        case inUse(String, Int?)
        /// One lower-case line: the failure; the remedy.
        case unusable(String)
    }

    /// Connections that wait to be accepted.
    private static let backlog: CInt = 64

    package let path: String
    /// Non-blocking.
    package let descriptor: Descriptor
    private let lock: PlaceLock
    private let status: stat

    /// - Parameter makesFolder: whether the folder that it is in, though not those around it, is made if it is missing.
    package static func open(_ path: String, makesFolder: Bool) throws(Failure) -> ControlSocket {
        guard let address = UnixAddress(path) else {
            throw .unusable(
                "\(path) can not be a socket; give --control a path of 1 to \(UnixAddress.longestPath) bytes")
        }
        if makesFolder, let slash = path.lastIndex(of: "/") { _ = unsafe mkdir(String(path[..<slash]), 0o700) }
        let lock = try take(path)
        do throws(SystemError) {
            try clear(path, address)
            let made = try listen(at: address)
            var status = stat()
            try SystemError.check("stat", unsafe lstat(path, &status))
            return ControlSocket(path: path, descriptor: made, lock: lock, status: status)
        } catch {
            if error.errno == EADDRINUSE { throw .inUse(path, nil) }
            throw .unusable("\(path): \(error); see what is there, or choose another with --control")
        }
    }

    private init(path: String, descriptor: consuming Descriptor, lock: consuming PlaceLock, status: stat) {
        self.path = path
        self.descriptor = descriptor
        self.lock = lock
        self.status = status
    }

    deinit { removeName() }

    /// Takes the name away, if it is still the name of this socket. More than once does no harm.
    package borrowing func removeName() {
        var now = stat()
        guard unsafe lstat(path, &now) == 0, now.st_dev == status.st_dev, now.st_ino == status.st_ino else { return }
        _ = unsafe unlink(path)
    }

    private static func take(_ path: String) throws(Failure) -> PlaceLock {
        do throws(StorageError) {
            return try PlaceLock.acquire(path + ".lock")
        } catch {
            switch error.reason {
            case .inUse(let process): throw .inUse(path, process)
            case .missing:
                throw .unusable("the folder of --control \(path) does not exist; make it, or give another path")
            case .exists, .noName, .symbolicLink, .notRegular, .foreign, .exposed, .linked, .tooLarge,
                .exposedDirectory, .foreignDirectory, .unreadable, .wrongPhrase, .noPhrase, .outOfMemory, .system:
                throw .unusable("\(error)")
            }
        }
    }

    /// Removes the socket of a node that is gone.
    ///
    /// - Throws: `EADDRINUSE` if a node answers, `EEXIST` if it is no socket.
    private static func clear(_ path: String, _ address: UnixAddress) throws(SystemError) {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else { return }
        guard UInt32(status.st_mode) & UInt32(S_IFMT) == UInt32(S_IFSOCK) else {
            throw SystemError(call: "bind", errno: EEXIST)
        }
        let probe = try make()
        if unsafe address.lend(to: { unsafe connect(probe.number, $0, $1) }) == 0 || errno == EAGAIN {
            throw SystemError(call: "bind", errno: EADDRINUSE)
        }
        guard errno == ECONNREFUSED else { throw .last("connect") }
        try SystemError.check("unlink", unsafe unlink(path))
    }

    private static func listen(at address: UnixAddress) throws(SystemError) -> Descriptor {
        let socket = try make()
        // Before it has its name: the system gives the name the mode of the socket.
        try SystemError.check("chmod", fchmod(socket.number, 0o600))
        try SystemError.check("bind", unsafe address.lend { unsafe bind(socket.number, $0, $1) })
        try SystemError.check("listen", Glibc.listen(socket.number, backlog))
        return socket
    }

    private static func make() throws(SystemError) -> Descriptor {
        let type = SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue
        return try Descriptor("socket", socket(AF_UNIX, CInt(type), 0))
    }
}

extension ControlSocket.Failure {
    /// One lower-case line: the failure; the remedy.
    package var message: String {
        switch self {
        case .inUse(let path, let process):
            "\(process.map { "process \($0)" } ?? "another program") is reached at \(path), and this node is not; "
                + "give it another place with --control"
        case .unusable(let message): message
        }
    }
}
