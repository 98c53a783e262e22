import Chat
import ChatNode
import Commands
import Rendering
import Wire

/// Subscriptions, and messages from the client.
extension STOMPSession {
    mutating func subscribe(_ frame: STOMPFrame) -> [GatewayEffect] {
        guard let id = frame["id"], let destination = frame["destination"] else {
            return fail("a subscription has an id and a destination", to: frame)
        }
        guard !subscriptions.contains(where: { $0.id == id }) else { return fail("the id is in use", to: frame) }
        guard subscriptions.count < STOMPSession.mostSubscriptions else {
            return fail("\(STOMPSession.mostSubscriptions) subscriptions are the most", to: frame)
        }
        let acks = ["auto": false, "client": true, "client-individual": true]
        guard let wantsAck = acks[frame["ack"] ?? "auto"] else { return fail("ack is auto or client", to: frame) }
        guard let place = STOMPDestination(destination) else { return fail("there is no such destination", to: frame) }
        let subscription = Subscription(id: id, destination: destination, place: place, wantsAck: wantsAck)
        switch place {
        case .direct:
            subscriptions.append(subscription)
            return receipt(frame["receipt"])
        case .channel(let room), .typing(let room):
            // The answer says whether the node is in the room.
            return perform(.whoami, in: .named(room), .subscription(subscription, receipt: frame["receipt"]))
        case .people(let room):
            return perform(.who(all: true), in: .named(room), .subscription(subscription, receipt: frame["receipt"]))
        case .toChannel, .toPeer: return fail("the destination takes messages and has none", to: frame)
        }
    }

    mutating func send(_ frame: STOMPFrame) -> [GatewayEffect] {
        guard let place = frame["destination"].flatMap({ STOMPDestination($0) }) else {
            return fail("there is no such destination", to: frame)
        }
        let text: String
        do throws(JSONFault) {
            let body = try JSONValue(parsing: frame.body)
            guard let content = body["messageContent"]?.string else {
                return fail("a body is an object with messageContent", to: frame, code: "bad_member")
            }
            guard body["messageType"].map({ $0.string == "TEXT" }) ?? true else {
                return fail("the messageType is TEXT", to: frame, code: "bad_member")
            }
            text = content
        } catch {
            return fail("a body is JSON", to: frame, code: "bad_json")
        }
        switch place {
        case .toChannel(let room): return perform(.sayToRoom(text), in: .named(room), .receipt(frame["receipt"]))
        case .toPeer(let peer):
            return perform(.message(who: peer.hexadecimal, text: text), in: .of(peer), .receipt(frame["receipt"]))
        case .channel, .direct, .people, .typing: return fail("the destination takes no messages", to: frame)
        }
    }

    private mutating func perform(_ command: Command, in room: GatewayRoom, _ request: Request) -> [GatewayEffect] {
        guard requests.count < STOMPSession.mostRequests else {
            return fail("\(STOMPSession.mostRequests) frames wait for the node")
        }
        lastRequest += 1
        requests[lastRequest] = request
        return [.perform(number: lastRequest, command, in: room)]
    }

    mutating func complete(_ number: Int, _ reports: [RoomReport], at _: Instant) -> [GatewayEffect] {
        guard phase == .connected, let request = requests.removeValue(forKey: number) else { return [] }
        let receiptID =
            switch request {
            case .receipt(let id), .subscription(_, receipt: let id): id
            }
        for report in reports {
            guard case .error(let error) = report.report else { continue }
            return fail(error.message, receipt: receiptID, code: error.code.rawValue)
        }
        guard case .subscription(let subscription, _) = request else { return receipt(receiptID) }
        subscriptions.append(subscription)
        var effects = receipt(receiptID)
        for report in reports {
            guard case .answer(.peers) = report.report else { continue }
            effects.append(message(JSONOutput(.forPrograms).line(of: report), to: subscription))
        }
        return effects
    }
}

/// Messages to the client.
extension STOMPSession {
    mutating func tell(_ report: RoomReport, at now: Instant) -> [GatewayEffect] {
        guard phase == .connected, case .event(let event) = report.report else { return [] }
        let place: STOMPDestination
        let body: [UInt8]
        switch event {
        case .message(let message):
            place = STOMPSession.place(of: message.conversation, in: report.room)
            body = STOMPSession.body(of: message, in: report.room)
        case .edited(let view, let id, let text, unread: _):
            place = STOMPSession.place(of: view, in: report.room)
            body = STOMPSession.body(of: id, "modified", text, view, in: report.room)
        case .deleted(let view, let id, unread: _):
            place = STOMPSession.place(of: view, in: report.room)
            body = STOMPSession.body(of: id, "removed", nil, view, in: report.room)
        case .request, .direct, .delivered, .read, .failed:
            (place, body) = (.direct, JSONOutput(.forPrograms).line(of: report))
        case .typing: (place, body) = (.typing(report.room.name), JSONOutput(.forPrograms).line(of: report))
        case .peer, .crowd, .elsewhere:
            (place, body) = (.people(report.room.name), JSONOutput(.forPrograms).line(of: report))
        case .ready, .invitation, .notice, .stopped: return []
        }
        var effects: [GatewayEffect] = []
        for subscription in subscriptions where subscription.place == place {
            effects.append(message(body, to: subscription))
        }
        return effects
    }

    private mutating func message(_ body: [UInt8], to subscription: Subscription) -> GatewayEffect {
        lastMessage += 1
        let headers: [(String, String?)] = [
            ("subscription", subscription.id), ("message-id", "m-\(lastMessage)"),
            ("destination", subscription.destination), ("content-type", "application/json"),
            ("content-length", "\(body.count)"), ("ack", subscription.wantsAck ? "m-\(lastMessage)" : nil),
        ]
        return .send(STOMPFrame("MESSAGE", headers, body: body).bytes)
    }

    private static func place(of view: ConversationView, in room: RoomLabel) -> STOMPDestination {
        switch view {
        case .publicRoom: .channel(room.name)
        case .direct: .direct
        }
    }

    private static func body(of message: MessageView, in room: RoomLabel) -> [UInt8] {
        WebJSON.object {
            $0.member("change", "added")
            $0.member("id", message.id.hexadecimal)
            $0.members(of: message.conversation, channel: room)
            $0.member("senderUserId", message.from.key.hexadecimal)
            $0.member("content") { $0.content(message.text) }
            $0.member("createdAt", message.sentAt)
            $0.member("from", message.from)
            $0.member("isFromCurrentUser", message.isFromCurrentUser)
            $0.member("history", message.isHistory)
        }
    }

    /// - Parameter text: nil for a message that was deleted.
    private static func body(
        of id: MessageID, _ change: String, _ text: String?, _ view: ConversationView, in room: RoomLabel
    ) -> [UInt8] {
        WebJSON.object {
            $0.member("change", change)
            $0.member("id", id.hexadecimal)
            $0.members(of: view, channel: room)
            if let text { $0.member("content") { $0.content(text) } }
        }
    }
}

extension JSONWriter {
    fileprivate mutating func members(of view: ConversationView, channel room: RoomLabel) {
        switch view {
        case .publicRoom: member("channelId", room.name)
        case .direct(let who):
            member("channelId", who.key.hexadecimal)
            member("with", who)
        }
    }

    fileprivate mutating func content(_ text: String) {
        object {
            $0.member("type", "TEXT")
            $0.member("text", text)
            $0.member("title", nil as String?)
            $0.member("cardColor", nil as String?)
        }
    }
}
