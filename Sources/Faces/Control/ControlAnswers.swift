package import Commands
import Settings
import Chat
import ChatNode
import Phrases
import Reactor
import Synchronization
import Wire

/// Requests of clients, and their answers.
extension ControlServer {
    package func obey(_ line: LineSplitter.Line, of number: Int) async {
        let lines = await lines(answering: line, of: number)
        guard let lines, let client = clients[number] else { return }
        client.dialogue.answer(lines)
        proceed(client)
    }

    /// Nil where a tail begins instead.
    private func lines(answering line: LineSplitter.Line, of number: Int) async -> [UInt8]? {
        let text: String
        do throws(ChatError) {
            text = try line.text()
        } catch {
            return rendering(error, as: .json)
        }
        do throws(ControlFault) {
            let request = try ControlRequest(line: text)
            return try await lines(answering: request, of: number)
        } catch {
            return ControlLines.error(error)
        }
    }

    private func lines(
        answering request: ControlRequest, of number: Int
    ) async throws(ControlFault) -> [UInt8]? {
        switch request.action {
        case .say(let text, to: let who):
            return try await lines(of: request) { rooms throws(ChatError) in
                if let who { return (.message(who: who, text: text), nil) }
                if request.room != nil { return (.sayToRoom(text), nil) }
                let addressed = AddressedLine(textIn: text, rooms)
                return (.sayToRoom(addressed.text), addressed.room)
            }
        case .command(let line):
            return try await lines(of: request) { _ throws(ChatError) in (try Command(line: line), nil) }
        case .prometheus:
            guard case .answer(.statistics(let counters)) = try await reports(of: .statistics).first?.report else {
                return []
            }
            return ControlLines.prometheus(counters)
        case .tail(let withHistory):
            await desk?.beginTail(withHistory: withHistory) { [weak self] reports in
                self?.startTail(number, reports, as: request.format)
            }
            return nil
        }
    }

    /// - Parameter read: the command, and the room that its text names; nil for that of the request.
    private func lines(
        of request: ControlRequest, _ read: (Rooms) throws(ChatError) -> (Command, RoomLabel?)
    ) async throws(ControlFault) -> [UInt8] {
        guard let rooms = desk?.rooms else { throw .leaving }
        let (command, room): (Command, RoomLabel?)
        do throws(ChatError) {
            let asked = try ControlServer.room(of: request, in: rooms)
            let (wanted, named) = try read(rooms)
            (command, room) = (wanted, named ?? asked)
        } catch {
            return rendering(error, as: request.format)
        }
        return rendering(try await reports(of: command, in: room), as: request.format)
    }

    /// The room that a request names; nil for the open one.
    private static func room(of request: ControlRequest, in rooms: Rooms) throws(ChatError) -> RoomLabel? {
        guard let name = request.room else { return nil }
        guard let room = rooms.named(name) else { throw ChatError(.unknownRoom, .unknownRoom, name) }
        return room.label
    }

    private func reports(of command: Command, in room: RoomLabel? = nil) async throws(ControlFault) -> [RoomReport] {
        guard let reports = await desk?.reports(of: command, in: room) else { throw .leaving }
        return reports
    }

    private func rendering(_ reports: [RoomReport], as format: ControlRequest.Format) -> [UInt8] {
        renderer.lines(of: reports, as: format, at: loop.wallClock)
    }

    private func rendering(_ error: ChatError, as format: ControlRequest.Format) -> [UInt8] {
        rendering([RoomReport(error, of: desk?.rooms)], as: format)
    }
}

/// Telling tails.
extension ControlServer {
    /// On the node's thread, in the turn of `reports`: later events follow them.
    private nonisolated func startTail(_ number: Int, _ reports: [RoomReport], as format: ControlRequest.Format) {
        tailCount.add(1, ordering: .relaxed)
        loop.execute { [weak self] in
            self?.assumeIsolated { $0.beginTail(number, reports, as: format) }
        }
    }

    private func beginTail(_ number: Int, _ reports: [RoomReport], as format: ControlRequest.Format) {
        guard let client = clients[number] else {
            tailCount.subtract(1, ordering: .relaxed)
            return
        }
        client.dialogue.beginTail(format, rendering(reports, as: format))
        proceed(client)
    }

    /// Renders once for all tails of a format.
    package func pass(_ reports: [RoomReport]) {
        backlog.subtract(reports.count, ordering: .relaxed)
        var rendered: [ControlRequest.Format: [UInt8]] = [:]
        for client in clients.values {
            guard case .tailing(let format) = client.dialogue.phase else { continue }
            let lines = rendered[format] ?? rendering(reports, as: format)
            rendered[format] = lines
            if client.dialogue.tell(lines) { proceed(client) } else { letGo(client) }
        }
    }

    /// Something could not be passed on.
    func letGoOfTails() {
        hasGap.store(false, ordering: .relaxed)
        for client in clients.values {
            if case .tailing = client.dialogue.phase { letGo(client) }
        }
    }

    private func letGo(_ client: ControlClient) {
        droppedTails.add(1, ordering: .relaxed)
        drop(client)
    }
}
