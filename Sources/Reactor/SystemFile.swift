internal import Glibc

/// Reads what the kernel and daemons say of themselves in files.
package enum SystemFile {
    /// The beginning of the text of a file; nil where there is none that may be read.
    ///
    /// - Parameter limit: in bytes.
    package static func text(at path: String, limit: Int = 4_096) -> String? {
        let number = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard number >= 0 else { return nil }
        let file = Descriptor(owning: number)
        var text: [UInt8] = []
        // One page: the kernel gives no more of its tables at once, and the process keeps what a larger buffer has touched.
        var buffer = [UInt8](repeating: 0, count: min(limit, 4_096))
        while text.count < limit {
            let count = unsafe read(file.number, &buffer, buffer.count)
            guard count > 0 else { break }
            text += buffer[..<min(count, limit - text.count)]
        }
        return String(decoding: text, as: UTF8.self)
    }
}
