import Chat
import ChatNode

/// A message as plain lines show it, without the time: `<nick#4821> text` or `[nick#4821 -> you] text`.
struct PlainMessage {
    let text: String

    init(_ message: MessageView) {
        let author = PlainName.of(message.from)
        let said = DisplayGuard.safe(message.text)
        switch message.conversation {
        case .publicRoom: text = "<\(author)> \(said)"
        case .direct(let who):
            text = message.isFromCurrentUser ? "[you -> \(PlainName.of(who))] \(said)" : "[\(author) -> you] \(said)"
        }
    }
}
