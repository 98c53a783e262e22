import Chat

/// A line of input, and whether it waits until it may be sent.
package struct InputLine: Hashable, Sendable {
    package let content: LineSplitter.Line
    /// A typed line is refused when it comes too soon; lines of a pipe or a paste wait, so that none is lost.
    package let isPaced: Bool
    /// The room that the line is for; nil for the open one.
    package let room: RoomLabel?

    package init(content: LineSplitter.Line, isPaced: Bool, room: RoomLabel? = nil) {
        (self.content, self.isPaced, self.room) = (content, isPaced, room)
    }
}

/// A source of lines of input.
package protocol LineSource: Sendable {
    /// The next line, waited for; nil at the end of the input.
    func next() async -> InputLine?

    /// Takes the result of each line: a refused line may be typed again.
    func settle(_ line: InputLine, isAccepted: Bool) async
}
