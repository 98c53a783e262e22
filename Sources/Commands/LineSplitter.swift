package import Chat
import Phrases
import Wire

/// Cuts a byte stream into lines, however the bytes arrive, and never holds more than one line of the longest kind.
package struct LineSplitter {
    package enum Line: Hashable, Sendable {
        case text(String)
        case invalidUTF8
        /// Longer than the limit; the rest of it is skipped.
        case tooLong
    }

    /// In bytes, line end left out. Far above the limit of a message, so that the error can still state the size.
    package static let longest = 65_536

    /// A byte order mark and a carriage return.
    private static let edges = 4

    /// The longest of this stream.
    private let limit: Int
    private var unread: ArraySlice<UInt8> = []
    private var line: [UInt8] = []
    private var isSkipping = false

    package init(limit: Int = LineSplitter.longest) {
        self.limit = limit
    }

    /// Takes bytes in; those of the last call must be used up, which is when `next` has returned nil.
    package mutating func feed(_ bytes: ArraySlice<UInt8>) { unread += bytes }

    /// The next complete line, without its end (`EditedText.line`).
    package mutating func next() -> Line? {
        while !unread.isEmpty {
            let end = unread.firstIndex(of: 0x0a)
            let part = unread[..<(end ?? unread.endIndex)]
            unread = end.map { unread[($0 + 1)...] } ?? []
            if let line = add(part, endsLine: end != nil) { return line }
        }
        return nil
    }

    /// The last line, if the input ended without a line feed.
    package mutating func finish() -> Line? {
        defer { isSkipping = false }
        return line.isEmpty || isSkipping ? nil : take()
    }

    private mutating func add(_ part: ArraySlice<UInt8>, endsLine: Bool) -> Line? {
        guard !isSkipping else {
            isSkipping = !endsLine
            return nil
        }
        // Some bytes more, because a mark and a carriage return may still turn out to be no part of the line.
        guard line.count + part.count <= limit + LineSplitter.edges else {
            line = []
            isSkipping = !endsLine
            return .tooLong
        }
        line += part
        return endsLine ? take() : nil
    }

    private mutating func take() -> Line {
        defer { line = [] }
        let range = EditedText.line(line.span)
        guard range.count <= limit else { return .tooLong }
        return String(validating: line[range], as: UTF8.self).map(Line.text) ?? .invalidUTF8
    }
}

extension LineSplitter.Line {
    /// The line, if it can be one of a person's.
    package func text() throws(ChatError) -> String {
        switch self {
        case .text(let text): return text
        case .invalidUTF8: throw ChatError(.invalidUTF8, .notUTF8)
        case .tooLong:
            let most = Limits.messageBytes
            throw ChatError(
                .tooManyBytes, .lineTooLong, "\(LineSplitter.longest)", "\(most)")
        }
    }
}
