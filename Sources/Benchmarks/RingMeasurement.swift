import Chat
import Wire

/// The messages that a conversation keeps: the last 100.
enum RingMeasurement {
    private static let messages = 2_000

    static func run(_ stopwatch: inout Stopwatch) {
        let stock = stock()
        let full = filled(stock[..<Limits.messagesPerConversation])
        stopwatch.time("insert into a full ring", count: messages - full.count, prepare: { full }) { ring in
            var ring = ring
            for message in stock[full.count...] { keep(ring.insert(message)) }
        }
        stopwatch.time("insert what is there", count: full.count, prepare: { full }) { ring in
            var ring = ring
            for message in stock[..<full.count] { keep(ring.insert(message)) }
        }
        stopwatch.time("find by id") { keep(full[id: stock[50].id]) }
        stopwatch.time("lowest place") { keep(full.lowest) }
    }

    private static func filled(_ messages: ArraySlice<Message>) -> MessageRing {
        var ring = MessageRing()
        for message in messages { _ = ring.insert(message) }
        return ring
    }

    private static func stock() -> [Message] {
        var speaker = Speaker(seed: 1)
        return (0..<messages).compactMap { number in
            Message(
                from: speaker.say(number), knownStage: .resident, receivedAt: Speaker.wallClock,
                askedAt: nil)
        }
    }
}
