import Reactor

/// Lines of standard input, each read only when it is asked for.
///
/// It lives on a thread of its own, because reading blocks.
actor StandardInput {
    private let loop: EventLoop
    private var splitter = LineSplitter()
    private var buffer = [UInt8](repeating: 0, count: 16_384)
    private var hasEnded = false

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

    /// - Parameter loop: nothing else may live on it.
    init(on loop: EventLoop) {
        self.loop = loop
    }

    /// The next line, waited for; nil at the end of the input.
    func next() -> LineSplitter.Line? {
        while !hasEnded {
            if let line = splitter.next() { return line }
            let count = Descriptors.read(into: &buffer, from: Descriptors.input)
            guard count > 0 else {
                hasEnded = true
                return splitter.finish()
            }
            splitter.feed(buffer[..<count])
        }
        return nil
    }
}
