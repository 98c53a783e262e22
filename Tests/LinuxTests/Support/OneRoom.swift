import Chat
import ChatNode
import Commands

/// Reports of the only room of a program.
extension RoomLabel {
    static let lobby = RoomLabel(number: 1, name: "lobby")
    /// The only room of the tests of the terminal.
    static let kitchen = RoomLabel(number: 1, name: "kitchen")
}

extension RoomReport {
    static func event(_ event: NodeEvent) -> RoomReport { RoomReport(.lobby, .event(event)) }
    static func error(_ error: ChatError) -> RoomReport { RoomReport(.lobby, .error(error)) }
    static func answer(_ answer: Answer) -> RoomReport { RoomReport(.lobby, .answer(answer)) }
    static func entered(_ line: String) -> RoomReport { RoomReport(.lobby, .entered(line)) }
}
