import ChatNode
package import Commands
package import Reactor

/// Lines of standard input, each read only when it is asked for.
///
/// It lives on a thread of its own, because reading blocks.
package actor StandardInput: EventLoopActor, LineSource {
    package let loop: EventLoop
    private let isTyped: Bool
    private var splitter = LineSplitter()
    private var buffer = [UInt8](repeating: 0, count: 16_384)
    private var hasEnded = false

    /// - Parameters:
    ///   - loop: nothing else may live on it.
    ///   - isTyped: whether a person types the lines, so that none of them is paced.
    package init(on loop: EventLoop, isTyped: Bool) {
        self.loop = loop
        self.isTyped = isTyped
    }

    package func next() -> InputLine? {
        line().map { InputLine(content: $0, isPaced: !isTyped) }
    }

    /// A refused line is gone: no user is there to change it.
    package func settle(_: InputLine, _: LineOutcome) {}

    private func line() -> LineSplitter.Line? {
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
