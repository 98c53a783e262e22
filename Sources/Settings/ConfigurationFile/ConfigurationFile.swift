import Wire

/// One setting of a configuration file: the name of an option without its dashes, and its value.
struct ConfigurationEntry: Hashable, Sendable {
    package let name: String
    package let value: String
    /// From 1 on.
    package let line: Int
}

/// A fault in a configuration file, with its line.
struct ConfigurationError: Error, Hashable, Sendable {
    /// Nil for the file as a whole.
    package let line: Int?
    /// The fault; the remedy.
    package let message: String
}

/// Reads configuration files (`EditedText`): lines `name = value`, empty lines, and lines that begin with `#`.
///
/// Which names there are, and which values, is for the tables of options to say.
enum ConfigurationFile {
    /// Bytes of a file.
    static let maximumSize = 65_536

    /// The settings of a file, in order.
    package static func entries(in bytes: [UInt8]) throws(ConfigurationError) -> [ConfigurationEntry] {
        guard bytes.count <= maximumSize else {
            throw ConfigurationError(
                line: nil, message: "more than \(maximumSize) bytes; see whether it is the right file")
        }
        var entries: [ConfigurationEntry] = []
        for (index, line) in bytes.split(separator: 0x0a, omittingEmptySubsequences: false).enumerated() {
            if let entry = try entry(in: line, number: index + 1) { entries.append(entry) }
        }
        return entries
    }

    private static func entry(
        in line: ArraySlice<UInt8>, number: Int
    ) throws(ConfigurationError) -> ConfigurationEntry? {
        let bytes = Array(line)
        guard let text = String(validating: bytes[EditedText.line(bytes.span)], as: UTF8.self), !text.utf8.contains(0)
        else {
            throw ConfigurationError(line: number, message: "not UTF-8; save the file as UTF-8 text")
        }
        let line = text[...].trimmed()
        if line.utf8.isEmpty || line.utf8.first == UInt8(ascii: "#") { return nil }
        guard let equals = line.firstIndex(of: "=") else {
            throw ConfigurationError(
                line: number, message: "no \"=\" in \(UsageError.quoted(String(line))); write NAME = VALUE")
        }
        let name = line[..<equals].trimmed()
        let value = line[line.index(after: equals)...].trimmed()
        guard !name.isEmpty else {
            throw ConfigurationError(line: number, message: "no name before the \"=\"; write NAME = VALUE")
        }
        guard !value.isEmpty else {
            throw ConfigurationError(
                line: number,
                message: "\(UsageError.quoted(String(name))) has no value; write one, or take the line out")
        }
        return ConfigurationEntry(name: String(name), value: String(value), line: number)
    }
}
