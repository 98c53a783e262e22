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

    /// Takes the result of each line: a refused one may be typed again.
    func settle(_ line: InputLine, _ outcome: LineOutcome) async
}

/// The end of a line of input.
package enum LineOutcome: Hashable, Sendable {
    case done
    /// Nothing of it is to be mended, as of a command about a peer that is not here.
    case refused
    /// Refused, and typed again once its text is mended, or its time has come.
    case mendable

    init(of line: String, _ command: Command, _ outcome: CommandOutcome) {
        switch outcome {
        case .done: self = .done
        case .left: self = .refused
        case .refused(let code): self.init(refused: line, command, code)
        }
    }

    /// - Parameter command: nil for a line that could not be read as one.
    init(refused line: String, _ command: Command?, _ code: ChatError.Code) {
        self =
            switch code {
            case .empty, .isCommand, .tooLong, .tooManyBytes, .tooDense, .invalidNickname, .invalidReason,
                .invalidAbout, .invalidCard, .invalidUTF8:
                .mendable
            // No history has the line of a key.
            case .invalidKey: CommandEntry.isSecret(line) ? .mendable : .refused
            case .rateLimited, .unknownPeer, .ambiguousPeer, .notConnected, .notAccepted, .unknownRoom, .directOpen:
                command?.saysText ?? false ? .mendable : .refused
            // Between two identities: the next one says no text that was meant for the old one.
            case .isAway, .unknownCommand, .unknownMessage, .invalidRoom, .tooManyRooms, .onlyRoom, .roomFailed,
                .tooManyContacts, .noIdentity, .invalidEmoji, .tooManyReactions, .unknownCard:
                .refused
            }
    }
}
