import Chat

/// Schemas of bodies (JSON Schema 2020-12), as JSON.
enum Schema {
    static let object: String = #"{"type":"object"}"#
    static let message: String = reference("Message")
    static let conversation: String = reference("Conversation")
    static let person: String = reference("Person")
    static let card: String = reference("Card")
    static let request: String = reference("Request")
    static let problem: String = reference("Problem")

    static let components: [String: String] = [
        "Card":
            #"{"type":"object","required":["room","roomId","id","from","title","text","cardColor","sentAt","expiresAt","isFromCurrentUser","history"],"properties":{"room":{"type":"string"},"roomId":{"type":"string"},"id":{"type":"string","pattern":"^[0-9a-f]{32}$"},"title":{"type":"string"},"text":{"type":"string"},"cardColor":\#(cardColor),"sentAt":{"type":"string","format":"date-time"},"expiresAt":{"type":"string","format":"date-time"},"isFromCurrentUser":{"type":"boolean"},"history":{"type":"boolean"}}}"#,
        "Conversation":
            ##"{"type":"object","required":["id","kind","title","room","roomId","active","unread","last"],"properties":{"id":{"type":"string"},"roomId":{"type":"string"},"kind":{"enum":["room","direct"]},"title":{"type":"string"},"room":{"type":"string"},"private":{"type":"boolean"},"bridged":{"type":"boolean"},"active":{"type":"boolean"},"unread":{"type":"integer","minimum":0},"mentions":{"type":"integer","minimum":0},"firstUnread":{"type":["string","null"]},"online":{"type":"integer","minimum":0},"last":{"anyOf":[{"type":"null"},{"$ref":"#/components/schemas/Message"}]}}}"##,
        "Message":
            ##"{"type":"object","required":["conversation","conversationId","id","from","text","sentAt","receivedAt","isFromCurrentUser","history","unread","replyTo","reactions"],"properties":{"conversation":{"enum":["public","direct"]},"conversationId":{"type":"string"},"id":{"type":"string","pattern":"^[0-9a-f]{32}$"},"text":{"type":"string"},"sentAt":{"type":"string","format":"date-time"},"receivedAt":{"type":"string","format":"date-time"},"isFromCurrentUser":{"type":"boolean"},"history":{"type":"boolean"},"unread":{"type":"integer"},"replyTo":{"type":["string","null"],"pattern":"^[0-9a-f]{32}$"},"reactions":{"type":"array","items":{"$ref":"#/components/schemas/Reaction"}}}}"##,
        "Person":
            #"{"type":"object","required":["room","roomId","who","state","since","muted","verified","blocked"],"properties":{"room":{"type":"string"},"roomId":{"type":"string"},"state":{"enum":["online","away","offline"]},"since":{"type":"string","format":"date-time"},"muted":{"type":"boolean"},"verified":{"type":"boolean"},"blocked":{"type":"boolean"}}}"#,
        "Problem":
            #"{"type":"object","required":["type","title","status","code","detail"],"properties":{"type":{"type":"string"},"title":{"type":"string"},"status":{"type":"integer"},"code":{"type":"string"},"detail":{"type":"string"}}}"#,
        "Reaction":
            #"{"type":"object","required":["emoji","count","own"],"properties":{"emoji":{"type":"string"},"count":{"type":"integer","minimum":1},"own":{"type":"boolean"}}}"#,
        "Request":
            #"{"type":"object","required":["room","roomId","key","from","text"],"properties":{"room":{"type":"string"},"roomId":{"type":"string"},"key":{"type":"string"},"text":{"type":"string"}}}"#,
    ]

    static func reference(_ name: String) -> String { ##"{"$ref":"#/components/schemas/"## + name + #""}"# }

    /// An object with one list.
    static func list(_ name: String, of element: String) -> String {
        #"{"type":"object","required":["\#(name)"],"properties":{"\#(name)":{"type":"array","items":\#(element)}}}"#
    }

    /// An object with required members only; a member is its name and its schema.
    static func body(_ members: (String, String)...) -> String {
        let names = members.map { "\"\($0.0)\"" }.joined(separator: ",")
        let properties = members.map { "\"\($0.0)\":\($0.1)" }.joined(separator: ",")
        return #"{"type":"object","additionalProperties":false,"required":[\#(names)],"properties":{\#(properties)}}"#
    }

    static let command =
        #"{"type":"object","additionalProperties":false,"oneOf":[{"required":["command"]},{"required":["line"]}],"properties":{"command":{"type":"string"},"operands":{"type":"object","additionalProperties":{"type":["string","boolean","array"],"items":{"type":"string"}}},"line":{"type":"string"},"room":{"type":"string"},"conversation":{"type":"string"},"view":{"type":"string"}}}"#

    static let active =
        #"{"type":"object","additionalProperties":false,"required":["active"],"properties":{"active":{"type":"boolean"},"view":{"type":"string"}}}"#

    /// A text, and the message that it answers.
    static let said =
        #"{"type":"object","additionalProperties":false,"required":["text"],"properties":{"text":{"type":"string"},"replyTo":\#(answered)}}"#

    /// A text to the peer of a key, and the message that it answers.
    static let saidToPeer =
        #"{"type":"object","additionalProperties":false,"required":["to","text"],"properties":{"to":\#(key),"text":{"type":"string"},"replyTo":\#(answered)}}"#

    private static let answered = #"{"type":["string","null"],"pattern":"^[0-9a-f]{32}$"}"#

    static let newCard =
        #"{"type":"object","additionalProperties":false,"required":["title","text"],"properties":{"title":{"type":"string"},"text":{"type":"string"},"cardColor":\#(cardColor)}}"#

    /// The authors of each emoji on a message.
    static let reactors =
        #"{"type":"object","required":["conversation","id","reactions"],"properties":{"conversation":{"enum":["public","direct"]},"id":{"type":"string"},"reactions":{"type":"array","items":{"type":"object","required":["emoji","who"],"properties":{"emoji":{"type":"string"},"who":{"type":"array","items":{"type":"object"}}}}}}}"#

    static let cardColor: String = {
        let names = CardColor.allCases.map { "\"\($0.name)\"" }.joined(separator: ",")
        return #"{"enum":[\#(names)]}"#
    }()

    static let string = #"{"type":"string"}"#
    static let boolean = #"{"type":"boolean"}"#
    static let id = #"{"type":"string","pattern":"^[0-9a-f]{32}$"}"#
    static let key = #"{"type":"string","pattern":"^[0-9a-f]{64}$"}"#
}

extension Route {
    /// Every request of version 1.
    static let all: [Route] = program + conversations + messages + reactions + board + people + requests

    private static let program: [Route] = [
        Route(
            method: "GET", path: "/api/v1/openapi.json", operation: "getDescription", summary: "this description"
        ) { _, _ in WebAnswer(status: 200, type: "application/json", body: OpenAPI.bytes) },
        Route(
            method: "GET", path: "/api/v1/me", operation: "getMe",
            summary: "the user's name in each room, the version, port and discovery"
        ) { server, _ throws(RouteFault) in try await server.me() },
        Route(
            method: "POST", path: PageCodes.path, operation: "postSession",
            summary: "lets a page in with the code of a link, which is good once, or with that of its reload",
            body: Schema.body(("code", Schema.string)),
            success: (
                200,
                #"{"type":"object","required":["token","reload","shown"],"properties":{"token":{"type":"string"},"reload":{"type":"string"},"shown":{"type":["string","null"]}}}"#
            ), isOpen: true
        ) { server, call throws(RouteFault) in try server.admitPage(call) },
        Route(
            method: "GET", path: "/api/v1/link", operation: "getLink", summary: "the link that lets the next page in",
            success: (200, #"{"type":"object","required":["url"],"properties":{"url":{"type":"string"}}}"#)
        ) { server, _ in server.nextLink() },
        Route(
            method: "POST", path: "/api/v1/commands", operation: "postCommand",
            summary: "performs a command with its operands, or a line of input; its events and its answer",
            body: Schema.command
        ) { server, call throws(RouteFault) in try await server.command(call) },
        Route(
            method: "GET", path: "/metrics", operation: "getMetrics",
            summary: "all counters in Prometheus's text format",
            success: (200, #"{"type":"string"}"#), type: "text/plain"
        ) { server, _ throws(RouteFault) in try await server.metrics() },
        Route(
            method: "GET", path: "/api/v1/events", operation: "getEvents",
            summary: "Server-Sent Events: a snapshot, then every event; Last-Event-ID resumes",
            success: (200, #"{"type":"string"}"#), type: "text/event-stream"
        ) { _, _ in WebAnswer(status: 200, type: "text/event-stream", isEndless: true) },
    ]

    private static let conversations: [Route] = [
        Route(
            method: "GET", path: "/api/v1/conversations", operation: "getConversations",
            summary: "each room and direct conversation, with unread count and last message",
            success: (200, Schema.list("conversations", of: Schema.conversation))
        ) { server, _ throws(RouteFault) in try await server.conversations() },
        Route(
            method: "PUT", path: "/api/v1/conversations/{conversation}/active", operation: "putActive",
            summary: "shows the conversation, whose unread count becomes 0; false: its messages count as unread",
            body: Schema.active, success: (204, nil)
        ) { server, call throws(RouteFault) in try await server.setActive(call) },
        Route(
            method: "PUT", path: "/api/v1/conversations/{conversation}/typing", operation: "putTyping",
            summary: "tells the open conversation that the user types, or no longer",
            body: Schema.body(("on", Schema.boolean)), success: (204, nil)
        ) { server, call throws(RouteFault) in try await server.setTyping(call) },
    ]

    private static let messages: [Route] = [
        Route(
            method: "GET", path: "/api/v1/conversations/{conversation}/messages", operation: "getMessages",
            summary: "a page of messages, the oldest first: without a cursor the latest ones",
            query: [
                ("before", Schema.id), ("after", Schema.id),
                ("limit", #"{"type":"integer","minimum":1,"maximum":100,"default":50}"#),
            ],
            success: (
                200,
                #"{"type":"object","required":["messages","next","previous"],"properties":{"messages":{"type":"array","items":\#(Schema.message)},"next":{"type":["string","null"]},"previous":{"type":["string","null"]}}}"#
            )
        ) { server, call throws(RouteFault) in try await server.messages(call) },
        Route(
            method: "POST", path: "/api/v1/conversations/{conversation}/messages", operation: "postMessage",
            summary: "says a text; the same Idempotency-Key within 10 minutes gives the same message",
            body: Schema.said, success: (201, Schema.message)
        ) { server, call throws(RouteFault) in
            try await server.once(call) { server throws(RouteFault) in try await server.say(call) }
        },
        Route(
            method: "PATCH", path: "/api/v1/conversations/{conversation}/messages/{message}", operation: "patchMessage",
            summary: "changes an own message", body: Schema.body(("text", Schema.string)), success: (204, nil)
        ) { server, call throws(RouteFault) in try await server.edit(call) },
        Route(
            method: "DELETE", path: "/api/v1/conversations/{conversation}/messages/{message}",
            operation: "deleteMessage", summary: "deletes an own message", success: (204, nil)
        ) { server, call throws(RouteFault) in try await server.delete(call) },
        Route(
            method: "POST", path: "/api/v1/rooms/{room}/direct", operation: "postDirect",
            summary: "a direct message to a peer of the room, or the request for a conversation",
            body: Schema.saidToPeer, success: (201, Schema.message)
        ) { server, call throws(RouteFault) in
            try await server.once(call) { server throws(RouteFault) in try await server.sayDirectly(call) }
        },
    ]

    private static let reactions: [Route] = [
        Route(
            method: "GET", path: "/api/v1/conversations/{conversation}/messages/{message}/reactions",
            operation: "getReactions", summary: "who has given the message which emojis",
            success: (200, Schema.reactors)
        ) { server, call throws(RouteFault) in try await server.reactions(call) },
        Route(
            method: "PUT", path: "/api/v1/conversations/{conversation}/messages/{message}/reactions",
            operation: "putReaction", summary: "gives the message an emoji, or takes it back",
            body: Schema.body(("emoji", Schema.string), ("on", Schema.boolean)), success: (204, nil)
        ) { server, call throws(RouteFault) in try await server.setReaction(call) },
    ]

    private static let board: [Route] = [
        Route(
            method: "GET", path: "/api/v1/rooms/{room}/board", operation: "getBoard",
            summary: "the cards on the notice board of the room, the oldest first",
            success: (200, Schema.list("cards", of: Schema.card))
        ) { server, call throws(RouteFault) in try await server.board(call) },
        Route(
            method: "POST", path: "/api/v1/rooms/{room}/board", operation: "postCard",
            summary: "puts a card up; the same Idempotency-Key within 10 minutes gives the same card",
            body: Schema.newCard, success: (201, Schema.card)
        ) { server, call throws(RouteFault) in
            try await server.once(call) { server throws(RouteFault) in try await server.postCard(call) }
        },
        Route(
            method: "DELETE", path: "/api/v1/rooms/{room}/board/{card}", operation: "deleteCard",
            summary: "takes an own card down", success: (204, nil)
        ) { server, call throws(RouteFault) in try await server.removeCard(call) },
    ]

    private static let people: [Route] =
        [
            Route(
                method: "GET", path: "/api/v1/people", operation: "getPeople", summary: "the known peers of all rooms",
                success: (200, Schema.list("people", of: Schema.person))
            ) { server, _ throws(RouteFault) in try await server.people() },
            Route(
                method: "GET", path: "/api/v1/rooms/{room}/people/{key}", operation: "getPerson",
                summary: "one peer of the room, with the code to compare", success: (200, Schema.person)
            ) { server, call throws(RouteFault) in try await server.person(call) },
            Route(
                method: "GET", path: "/api/v1/rooms/{room}/people/{key}/code.svg", operation: "getCode",
                summary: "the code to compare as a QR code; 503 without libqrencode",
                success: (200, #"{"type":"string"}"#), type: "image/svg+xml"
            ) { server, call throws(RouteFault) in try await server.code(call) },
        ]
        + ["PUT", "DELETE"].map { method in
            Route(
                method: method, path: "/api/v1/rooms/{room}/people/{key}/{mark}",
                operation: method == "PUT" ? "putMark" : "deleteMark",
                summary: "sets or removes a mark: mute, block or verified", success: (204, nil)
            ) { server, call throws(RouteFault) in try await server.mark(call, isOn: method == "PUT") }
        }

    private static let requests: [Route] = [
        Route(
            method: "GET", path: "/api/v1/requests", operation: "getRequests",
            summary: "open requests for direct conversations",
            success: (200, Schema.list("requests", of: Schema.request))
        ) { server, _ throws(RouteFault) in try await server.requests() },
        Route(
            method: "POST", path: "/api/v1/rooms/{room}/requests/{key}", operation: "postRequest",
            summary: "accepts or declines a request", body: Schema.body(("accept", Schema.boolean)), success: (204, nil)
        ) { server, call throws(RouteFault) in try await server.answerRequest(call) },
    ]
}
