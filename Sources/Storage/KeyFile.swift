package import Noise
import Wire

/// A file whose first line that is no comment (`EditedText`) is a secret: the key of a private room, that of its bridges, or a password.
package enum KeyFile {
    /// In bytes.
    private static let most = 4_096

    /// That line without its end; empty if there is none. The file is checked as an identity's is.
    ///
    /// - Throws: `missing`, or what is wrong with the file.
    package static func firstLine(of path: String) throws(StorageError) -> Secret {
        let place = try FilePlace(path)
        let directory = try PrivateDirectory.holding(place)
        let file = try directory.open(place, locking: false, atMost: most)
        let bytes = try directory.read(file, of: place, atMost: most)
        let range = EditedText.firstLine(in: bytes.span) ?? 0..<0
        return bytes.part(range)
    }

    /// Makes a file of mode 0600.
    ///
    /// - Throws: `exists`: nothing is overwritten.
    package static func create(_ path: String, line: [UInt8]) throws(StorageError) {
        let place = try FilePlace(path)
        let directory = try PrivateDirectory.making(place)
        _ = try directory.create(place, (line + [UInt8(ascii: "\n")]).span)
    }
}
