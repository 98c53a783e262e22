import Glibc

/// A directory of a test's own, removed with all that is in it.
package final class StorageScratch: Sendable {
    package let path: String

    package init() throws {
        var template = Array("/tmp/earshot-storage-XXXXXX".utf8CString)
        guard unsafe mkdtemp(&template) != nil else { throw ProgramSpawn.Failure(call: "mkdtemp", number: errno) }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit { StorageScratch.remove(path) }

    package func callAsFunction(_ name: String) -> String { "\(path)/\(name)" }

    /// The names in the directory, hidden files too.
    package var names: [String] { StorageScratch.names(in: path).sorted() }

    package func write(_ bytes: [UInt8], to name: String, mode: UInt32 = 0o600) throws {
        let file = unsafe open(self(name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode)
        guard file >= 0 else { throw ProgramSpawn.Failure(call: "open", number: errno) }
        defer { _ = close(file) }
        _ = fchmod(file, mode)
        let count = unsafe bytes.withUnsafeBytes { unsafe Glibc.write(file, $0.baseAddress, $0.count) }
        guard count == bytes.count else { throw ProgramSpawn.Failure(call: "write", number: errno) }
    }

    /// Nil where there is no such file.
    package func bytes(of name: String) -> [UInt8]? {
        let file = unsafe open(self(name), O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { return nil }
        defer { _ = close(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = unsafe read(file, &buffer, buffer.count)
            guard count > 0 else { return bytes }
            bytes += buffer[..<count]
        }
    }

    /// The permissions of a file or directory; nil where there is none.
    package func mode(of name: String) -> UInt32? {
        var status = stat()
        return unsafe lstat(self(name), &status) == 0 ? status.st_mode & 0o7777 : nil
    }

    private static func names(in path: String) -> [String] {
        guard let directory = unsafe opendir(path) else { return [] }
        defer { unsafe closedir(directory) }
        var names: [String] = []
        while let entry = unsafe readdir(directory) {
            let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    private static func remove(_ path: String) {
        for name in names(in: path) where unsafe unlink("\(path)/\(name)") != 0 { remove("\(path)/\(name)") }
        _ = unsafe rmdir(path)
    }
}
