import Hub

/// Frames and packets of clients.
extension GatewayRules {
    private static let id = String(repeating: "0a", count: 16)
    private static let peer = String(repeating: "02", count: 32)

    /// Each behind CONNECT, but for those that are about it.
    static var stompSeeds: [String] {
        connections
            + conversations.map {
                "CONNECT\naccept-version:1.2\npasscode:\(token.text)\nheart-beat:2000,20000\n\n\0" + $0
            }
            + bodies.map { body in
                "CONNECT\naccept-version:1.2\n\n\0SEND\ndestination:/app/channel/lobby\nreceipt:r\n\n\(body)\0"
            }
    }

    private static var connections: [String] {
        [
            "STOMP\r\naccept-version:1.1\r\n\r\n\0SEND\ndestination:/app/channel/a%20b\\c\ncontent-length:23\nreceipt:1\n\n"
                + "{\"messageContent\":\"hi\"}\0DISCONNECT\nreceipt:2\n\n\0",
            "CONNECT\naccept-version:1.0\n\n\0", "CONNECT\naccept-version:1.2\nheart-beat:1\n\n\0",
            "CONNECT\naccept-version:1.2\nheart-beat:0,5000\nAuthorization:Bearer \(token.text)\n\n\0\n\nSEND\n\n\0",
            "CONNECT\naccept-version:1.1, 1.2\nauthorization:\(token.text)\n\n\0CONNECT\n\n\0",
            "CONNECT\naccept-version:1.2\npasscode:no\n\n\0", "SEND\n\n\0", "CONNECT\nno colon\n\n\0", "CONNECT\na:\0",
            "CONNECT\na:\(String(repeating: "x", count: 9_000))", "CONNECT\ncontent-length:9\n\nabc",
            "CONNECT\ncontent-length:x\n\n\0", "CONNECT\ncontent-length:3\n\nabcd", "CONNECT\na:b\\q\n\n\0",
            "STOMP\naccept-version:1.1\n\n\0SUBSCRIBE\nid:1\ndestination:/channel/lobby\nack:client\n\n\0"
                + "ACK\nmessage-id:m-1\nsubscription:1\n\n\0", "CONNECT\n\u{e9}:\\n\\c\\\\\\r\n\n\0",
        ]
    }

    private static var conversations: [String] {
        let subscriptions = [
            "/channel/lobby", "/user/queue/direct", "/topic/people/lobby", "/topic/typing/lobby",
            "/topic/board/l%6fbby",
        ].enumerated().map { "SUBSCRIBE\nid:\($0)\ndestination:\($1)\nack:client-individual\nreceipt:s\($0)\n\n\0" }
        let many = (0..<65).map { "SUBSCRIBE\nid:\($0)\ndestination:/user/queue/direct\n\n\0" }
        return subscriptions + [
            subscriptions.joined(), many.joined(), "SUBSCRIBE\nid:1\n\n\0", "UNSUBSCRIBE\nid:1\n\n\0", "NOTHING\n\n\0",
            "SUBSCRIBE\nid:1\ndestination:/nowhere\n\n\0", "SUBSCRIBE\nid:1\ndestination:/channel/a\nack:no\n\n\0",
            "SUBSCRIBE\nid:1\ndestination:/app/channel/lobby\n\n\0", "SEND\ndestination:/channel/lobby\n\n{}\0",
            subscriptions[1] + subscriptions[1] + "UNSUBSCRIBE\nid:1\nreceipt:u\n\n\0",
            "SUBSCRIBE\nid:/user/queue/direct\ndestination:/user/queue/direct\n\n\0"
                + "SUBSCRIBE\nid:/user/queue/direct\ndestination:/user/queue/direct\n\n\0",
            "SEND\ndestination:/app/direct/lobby/\(peer)\nreceipt:d\n\n{\"messageContent\":\"psst\",\"replyTo\":\"\(id)\"}\0",
            "SEND\ndestination:/app/direct/lobby/\(peer)\n\n{\"messageType\":\"CARD\",\"title\":\"t\",\"messageContent\":\"x\"}\0",
            subscriptions[2] + "ACK\nid:m-1\nreceipt:a\n\n\0NACK\nid:m-1\ntransaction:t\n\n\0",
            subscriptions[2] + "ACK\nid:m-9\n\n\0", "ACK\n\n\0", "BEGIN\n\n\0", "COMMIT\ntransaction:t\n\n\0",
            "BEGIN\ntransaction:t\nreceipt:b\n\n\0SEND\ndestination:/app/channel/lobby\ntransaction:t\n\n"
                + "{\"messageContent\":\"hi\"}\0SEND\ndestination:/app/channel/lobby\ntransaction:t\nreceipt:k\n\n"
                + "{\"content\":{\"type\":\"CARD\",\"title\":\"lost\",\"text\":\"a hat\",\"cardColor\":\"red\"}}\0"
                + "COMMIT\ntransaction:t\nreceipt:2\n\n\0ABORT\ntransaction:t\n\n\0",
            "BEGIN\ntransaction:t\n\n\0BEGIN\ntransaction:t\n\n\0",
            "BEGIN\ntransaction:t\n\n\0ABORT\ntransaction:t\nreceipt:2\n\n\0",
            "BEGIN\ntransaction:t\n\n\0SEND\ndestination:/app/channel/lobby\ntransaction:t\n\n{\"messageContent\":\"\"}\0",
            "SEND\ndestination:/app/channel/lobby\ntransaction:u\n\n{\"messageContent\":\"hi\"}\0",
        ]
    }

    /// Bodies of messages to the room.
    private static var bodies: [String] {
        [
            "{\"messageContent\":\"hi\",\"replyTo\":\"\(id)\"}", "{\"messageContent\":\"hi\",\"replyTo\":null}",
            "{\"messageContent\":\"hi\",\"replyTo\":7}", "{\"messageContent\":\"leave\"}", "{\"messageContent\":\"\"}",
            "{\"messageType\":\"CARD\",\"messageContent\":\"a hat\",\"title\":\"lost\",\"cardColor\":\"red\"}",
            "{\"messageType\":\"CARD\",\"messageContent\":\"a hat\"}", "no JSON", "[]", "{}",
            "{\"messageType\":\"CARD\",\"messageContent\":\"a hat\",\"title\":\"lost\",\"cardColor\":1}",
            "{\"messageType\":\"CARD\",\"messageContent\":\"a hat\",\"title\":\"lost\",\"replyTo\":\"\(id)\"}",
            "{\"messageType\":\"FILM\",\"messageContent\":\"a hat\"}", "{\"messageContent\":\"hi\",\"title\":\"t\"}",
            "{\"content\":{\"text\":\"hi\",\"replyTo\":\"\(id)\"}}",
            "{\"content\":{\"text\":\"hi\"},\"messageType\":\"TEXT\"}",
            "{\"content\":{\"text\":\"hi\",\"replyTo\":\"\(id)\"},\"replyTo\":\"\(id)\"}",
        ]
    }

    static var socketSeeds: [String] {
        let start = "40{\"token\":\"\(token.text)\"}\u{1e}"
        let events = [
            "421[\"connectUser\",\"ana\"]", "421[\"connectUser\",\"ana#4821\"]", "42[\"connectUser\",\"seal#4821\"]",
            "42[\"connectUser\",\"refuse\"]", "42[\"connectUser\"]", "421[\"chatMessage\",\"a\",\"hi\"]",
            "42[\"chatMessage\",\"a\"]", "42[\"chatMessage\",\"a\",\"\"]", "42[\"chatMessage\",\"a\",\"leave\"]",
            "421[\"chatCard\",\"a\",\"lost\",\"a hat\",\"red\"]", "42[\"chatCard\",\"a\",\"t\"]",
            "42[\"chatCard\",\"a\",\"t\",\"x\",null]", "42[\"chatCard\",\"a\",\"t\",\"x\",7]",
            "42[\"startType\",\"a\"]",
            "422[\"stopType\",\"a\"]", "421[\"exitUser\",\"a\"]", "42[\"nothing\"]", "41", "42[]", "42[7]", "4", "49",
            "3",
            "6", "2", "42no", "421234567890[\"a\"]", "40/admin,{}", "40{}",
        ]
        let returns = [
            "\"pid\":\"p\"", "\"pid\":\"p\",\"offset\":\"2\"", "\"pid\":\"p\",\"offset\":7", "\"pid\":\"full\"",
        ]
        return events.map { start + $0 } + [
            start + events.joined(separator: "\u{1e}"), "40{}", "3", "41", "40{\"token\":1}",
        ]
            + returns.map { "40{\"token\":\"\(token.text)\",\($0)}\u{1e}42[\"startType\",\"a\"]" }
    }
}
