package import Chat
import ChatNode
package import Wire

/// A message as plain lines show it, without the time: `<nick#4821> text` or `[nick#4821 → you] text`; of `/me`, `• nick#4821 text`
/// or `• [nick#4821 → you] text`.
package struct PlainMessage {
    /// The author and the receiver, as written before the text.
    package let author: String
    package let text: String

    /// - Parameter quote: the beginning of the answered message, in front of the text; nil for none.
    package init(_ message: MessageView, quote: String? = nil) {
        let name = message.from.displayName
        let sign = message.action == nil ? "" : PlainMessage.actionSign + " "
        switch message.conversation {
        case .publicRoom: author = sign.isEmpty ? "<\(name)>" : sign + name
        case .direct(let who):
            author = sign + (message.isFromCurrentUser ? "[you → \(who.displayName)]" : "[\(name) → you]")
        }
        text = "\(author) \(quote.map { "\($0) " } ?? "")\(PlainMessage.content(of: message))"
    }

    /// In front of the author of `/me`: not that of a notice, which no message can look like.
    package static let actionSign = "•"

    /// The text, safe to show. The text of `/me` begins with the author's nickname, which is in front of it already.
    package static func content(of message: MessageView) -> String {
        DisplayGuard.safe(message.action ?? message.text)
    }

    /// Whether a message was missed, and is more than seconds late: one that was sent before a link was up has no label.
    package static func isMissed(_ message: MessageView, at now: Timestamp) -> Bool {
        message.isMissed && message.sentAt.distance(to: now) > lateMilliseconds
    }

    private static let lateMilliseconds: UInt64 = 10_000

    /// A peer's clock may be wrong, so what is heard live shows when it came; history shows when it was said.
    package static func time(of message: MessageView) -> Timestamp {
        message.isHistory ? message.sentAt : message.receivedAt
    }
}
