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
        guard let first = operands.first else {
            throw UsageError("earshot room does not say what to do; write earshot room \(Self.operands)")
        }
        guard first == "new" else {
            throw UsageError("earshot room can not \(UsageError.quoted(first)); write earshot room \(Self.operands)")
        }
        guard operands.count > 1 else {
            throw UsageError("earshot room new needs a name; write earshot room \(Self.operands)")
        }
        guard operands.count == 2 else {
            throw UsageError("unexpected \(UsageError.quoted(operands[2])); see earshot room --help")
        }
        do throws(ChatError) { name = try RoomName.compose(operands[1]) } catch { throw UsageError(error.message) }
    }
}
