import Earshot

/// Says what others say, and accepts each request for a direct conversation.
///
///     swift run EchoBot                    in the lobby, found by mDNS
///     swift run EchoBot 192.0.2.7:4000     with a node that is named
@main
enum EchoBot {
    static func main() async throws {
        var options = Options()
        options.peers = Array(CommandLine.arguments.dropFirst())
        if !options.peers.isEmpty { options.discovery = .disabled }
        let me = try Identity.ephemeral()
        try await Room.join("lobby", as: me, nickname: "echo", options: options) { room in
            for await event in room.events {
                do {
                    switch event {
                    case .message(let message) where !message.isFromCurrentUser,
                        .direct(let message) where !message.isFromCurrentUser:
                        try await message.reply(Message.fitting("re: \(message.text)"))
                    case .request(let request): try await request.accept().send("hi")
                    default: break
                    }
                } catch let error as SendError where error.reason != .ended {
                    // The person has left, for instance: others still ask.
                    print("not said: \(error)")
                }
            }
        }
    }
}
