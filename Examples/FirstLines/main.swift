import Earshot

let me = try Identity.ephemeral()                                   // or .file("~/.local/share/earshot/me")
try await Room.join(.open("lobby"), as: me) { room in               // says goodbye at the end of the closure, also when cancelled
    try await room.send("hello")                                    // waits for the rate and for slow links
    for await event in room.events {                                // bounded; .missed(count) where the reader is slow
        switch event {
        case .message(let message) where !message.isFromCurrentUser: try await room.send(Message.fitting("re: \(message.text)"))
        case .request(let request): try await request.accept().send("hi")
        default: break
        }
    }
}
