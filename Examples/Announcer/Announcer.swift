import Earshot

/// Says each line of standard input to a room, and leaves at the end of the input.
///
///     make 2>&1 | tail -n 1 | swift run Announcer builds
@main
enum Announcer {
    static func main() async throws {
        var options = Options()
        options.peers = Array(CommandLine.arguments.dropFirst(2))
        if !options.peers.isEmpty { options.discovery = .disabled }
        let address = RoomAddress.open(CommandLine.arguments.dropFirst().first ?? "lobby")
        try await Room.join(address, as: .ephemeral(), nickname: "announcer", options: options) { room in
            while let line = readLine() {
                do {
                    try await room.send(line)
                } catch let error as SendError where error.reason != .ended {
                    print("not said: \(error)")
                }
            }
        }
    }
}
