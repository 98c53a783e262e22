package import Chat
import ChatNode
package import Commands

/// Reports of the only room of a program.
extension RoomLabel {
    package static let lobby = RoomLabel(number: 1, name: "lobby")
    /// The only room of the tests of the terminal.
    package static let kitchen = RoomLabel(number: 1, name: "kitchen")
}

extension RoomReport {
    package static func event(_ event: NodeEvent) -> RoomReport { RoomReport(.lobby, .event(event)) }
    package static func error(_ error: ChatError) -> RoomReport { RoomReport(.lobby, .error(error)) }
    package static func answer(_ answer: Answer) -> RoomReport { RoomReport(.lobby, .answer(answer)) }
    package static func entered(_ line: String) -> RoomReport { RoomReport(.lobby, .entered(line)) }
}
