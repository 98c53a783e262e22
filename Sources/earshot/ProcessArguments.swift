import CLinux

/// The words of the command line.
enum ProcessArguments {
    /// All words behind the program's name; nil where the C library does not pass them on.
    static var words: [String]? {
        let count = linux_argument_count()
        guard count > 0, let words = unsafe linux_argument_words() else { return nil }
        return (1..<Int(count)).compactMap { index in unsafe words[index].map { unsafe String(cString: $0) } }
    }
}
