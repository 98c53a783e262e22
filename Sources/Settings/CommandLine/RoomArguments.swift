import Chat

/// The settings of `earshot room`.
package struct RoomArguments: Hashable, Sendable {
    /// A result of `RoomName.compose`.
    package private(set) var name = ""

    package init() {}
}

extension RoomArguments: CommandSettings {
    package static let command = Invocation.CommandName.room
    package static let summary = "make a key for a private room; keep it in a file of your own for --key-file"
    package static let operands = "new NAME"
    package static let options: [Option<RoomArguments>] = []

    package mutating func take(operands: [String]) throws(UsageError) {
        let name = try verbAndObject(of: operands).object
        do throws(ChatError) { self.name = try RoomName.compose(name) } catch { throw UsageError(error.message) }
    }
}
