import Glibc
import Reactor

extension Surroundings {
    /// The environment and the files of this process.
    package static var ofProcess: Surroundings {
        Surroundings(variable: ProcessEnvironment.value, read: contents, isRootLogin: isRootLogin)
    }

    private static var isRootLogin: Bool {
        let user = geteuid()
        guard user == 0 else { return false }
        let login = RootLogin(
            effectiveUser: user, userMap: SystemFile.text(at: "/proc/self/uid_map"),
            loginUser: SystemFile.text(at: "/proc/self/loginuid"),
            hasBecomeRoot: RootLogin.becomingRoot.contains { ProcessEnvironment.value($0) != nil })
        return login.isPresent
    }

    private static func contents(of path: String, count: Int) throws(UsageError) -> [UInt8]? {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT || errno == ENOTDIR { return nil }
            throw UsageError("\(UsageError.quoted(path)): \(SystemError.last("open").reason); see who may read it")
        }
        defer { _ = close(descriptor) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4_096)
        do throws(SystemError) {
            while bytes.count < count {
                let length = try read(into: &buffer, from: descriptor)
                guard length > 0 else { break }
                bytes += buffer[..<min(length, count - bytes.count)]
            }
        } catch {
            throw UsageError("\(UsageError.quoted(path)): \(error.reason); name a file with --config")
        }
        return bytes
    }

    /// The number of bytes read, 0 at the end of the file.
    private static func read(into buffer: inout [UInt8], from descriptor: CInt) throws(SystemError) -> Int {
        while true {
            let count = unsafe Glibc.read(descriptor, &buffer, buffer.count)
            if count >= 0 { return count }
            guard errno == EINTR else { throw SystemError.last("read") }
        }
    }
}
