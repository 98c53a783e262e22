import Earshot

let me = try Identity.ephemeral()                                   // or .file("~/.local/share/earshot/me")
try await Room.join(.open("lobby"), as: me) { room in               // scoped: leaves politely at the end, also when cancelled
    try await room.send("hello")                                    // waits for pace and queues
    for await event in room.events {                                // bounded; .missed(count) where the reader is slow
        switch event {
        case .message(let message) where !message.isFromCurrentUser: try await room.send("re: \(message.text)")
        case .request(let request): try await request.accept().send("hi")
        default: break
        }
    }
}
