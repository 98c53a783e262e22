import Glibc
import Wire

/// A vector of the file that Debian's package golang-github-flynn-noise-dev installs.
struct Vector {
    let protocolName: String
    var fields: [String: [UInt8]]

    func field(_ name: String) -> [UInt8] { fields[name] ?? [] }

    /// How many messages have a payload and a ciphertext.
    var messageCount: Int {
        var count = 0
        while fields["msg_\(count)_payload"] != nil, fields["msg_\(count)_ciphertext"] != nil { count += 1 }
        return count
    }
}

/// The vectors can not be read: a failure, never a reason to skip.
struct VectorFileMissing: Error, CustomStringConvertible {
    let description =
        "\(Vector.path) is missing or unreadable: run Scripts/test, or install golang-github-flynn-noise-dev"
}

extension Vector {
    static let path = "/usr/share/gocode/src/github.com/flynn/noise/vectors.txt"

    /// The vectors of one protocol, in the order of the file.
    static func all(of protocolName: String) throws -> [Vector] {
        guard let text = try? readText(path) else { throw VectorFileMissing() }
        var vectors: [Vector] = []
        for line in text.split(separator: "\n") {
            let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 else { continue }
            if parts[0] == "handshake" {
                vectors.append(Vector(protocolName: String(parts[1]), fields: [:]))
            } else if let last = vectors.indices.last {
                vectors[last].fields[String(parts[0])] = Hexadecimal.decode(parts[1])
            }
        }
        return vectors.filter { $0.protocolName == protocolName }
    }
}

/// The whole of a text file.
func readText(_ path: String) throws -> String {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw SystemFailure(call: "open \(path)") }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while true {
        let count = unsafe read(descriptor, &chunk, chunk.count)
        guard count >= 0 else { throw SystemFailure(call: "read \(path)") }
        if count == 0 { return String(decoding: bytes, as: UTF8.self) }
        bytes += chunk[..<count]
    }
}

/// A call of the system that a test depends on failed.
struct SystemFailure: Error {
    let call: String
    let code = errno
}
