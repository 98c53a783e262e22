import Chat
import Commands
import Hub
import Settings
import Wire

/// The session of one client of the control socket, as a value: requests in, lines out.
///
/// One request at a time: until its answer is written, no more is read. So a client that does not read is held up, and only
/// one answer for it is kept. Only a tail receives lines without a request.
struct ControlSession: ClientSession {
    enum Phase: Hashable, Sendable {
        case listening
        case answering(ControlRequest)
        case tailing(ControlRequest.Format)
        /// Nothing more is asked or answered.
        case over
    }

    private(set) var phase = Phase.listening
    private let renderer: SharedRenderer
    /// Of a tail.
    private var tail: TailRenderer?
    private var splitter = LineSplitter()
    private var hasInputEnded = false
    /// Whether the client has taken all that was sent.
    private var isWritten = false
    private var lastRequest = 0

    init(_ renderer: SharedRenderer) { self.renderer = renderer }

    /// Clients of the own user need no token.
    var hasShownToken: Bool { phase != .over }

    var hearsEvents: Bool { if case .tailing = phase { true } else { false } }

    /// Not while a request is under way.
    var isReading: Bool { phase == .listening && !hasInputEnded && isWritten }

    var deadline: Instant? { nil }

    var isOver: Bool { phase == .over }

    mutating func begin(at now: Instant) -> [ClientEffect] { [.send(ControlLines.greeting, of: nil)] }

    mutating func receive(_ input: [UInt8], at now: Instant) -> [ClientEffect] {
        splitter.feed(input[...])
        return advance()
    }

    /// The client writes no more. Its requests are still answered.
    mutating func end(at now: Instant) -> [ClientEffect] {
        hasInputEnded = true
        return advance()
    }

    mutating func lose(at now: Instant) -> [ClientEffect] {
        phase = .over
        return []
    }

    mutating func written(at now: Instant) -> [ClientEffect] {
        isWritten = true
        return advance()
    }

    mutating func turnAway(at now: Instant) -> [ClientEffect] {
        phase = .over
        let fault = ControlFault(.busy, "\(ControlServer.mostClients) clients are the most")
        return [.send(ControlLines.error(fault) + ControlLines.end, of: nil), .close]
    }

    /// A waiting client receives that nothing more follows.
    mutating func leave(at now: Instant) -> [ClientEffect] {
        defer { phase = .over }
        return switch phase {
        case .listening, .over: []
        case .answering: [.send(ControlLines.error(.leaving) + ControlLines.end, of: nil)]
        case .tailing: [.send(ControlLines.end, of: nil)]
        }
    }

    mutating func tick(at now: Instant) -> [ClientEffect] { [] }

    mutating func hear(_ event: HubEvent, at now: Instant) -> [ClientEffect] {
        guard case .tailing(let format) = phase, let tail else { return [] }
        let lines = tail.lines(of: event)
        let own = lines.isEmpty ? [] : [ClientEffect.send(lines, of: EventTopic(textOf: event.report))]
        return own + stored(of: event, as: format)
    }

    /// Lines without an event of a node: the end of a room, requests that are open again or no longer, and messages that are there
    /// again.
    private func stored(of event: HubEvent, as format: ControlRequest.Format) -> [ClientEffect] {
        let requests = event.requestsAgain.map {
            ClientEffect.send(renderer.lines(of: $0, as: format), of: EventTopic(textOf: $0))
        }
        guard format == .json else { return requests }
        let room = event.report.room
        let ended = event.endedRequests.map { ClientEffect.send(ControlLines.requestEnded(of: $0, in: room), of: nil) }
        let messages = event.cameMessages.map {
            let report = RoomReport(room, .event(.message($0)))
            return ClientEffect.send(ControlLines.stored(report), of: EventTopic(textOf: report))
        }
        let end = event.endsRoom ? [ClientEffect.send(ControlLines.parted(from: room), of: nil)] : []
        return requests + ended + messages + end
    }

    mutating func complete(_ number: Int, _ reports: [RoomReport]?, at now: Instant) -> [ClientEffect] {
        guard case .answering(let request) = phase, number == lastRequest else { return [] }
        guard let reports else { return answer([.send(ControlLines.error(.leaving), of: nil)]) }
        switch request.action {
        case .tail: return begin(tail: request.format, reports)
        case .prometheus:
            guard let counters = reports.first?.report.content(Counters.self)?.counters else { break }
            return answer([.send(ControlLines.prometheus(counters), of: nil)])
        case .say, .command: break
        }
        return answer(
            reports.map { .send(renderer.lines(of: $0, as: request.format), of: EventTopic(textOf: $0)) })
    }

    private mutating func begin(tail format: ControlRequest.Format, _ reports: [RoomReport]) -> [ClientEffect] {
        let tail = renderer.tail(as: format)
        (self.tail, phase) = (tail, .tailing(format))
        return reports.compactMap { report in
            let lines = tail.lines(of: report)
            return lines.isEmpty ? nil : .send(lines, of: EventTopic(textOf: report))
        }
    }

    /// The whole answer to the request that is under way.
    private mutating func answer(_ lines: [ClientEffect]) -> [ClientEffect] {
        (phase, isWritten) = (.listening, false)
        return lines + [.send(ControlLines.end, of: nil)]
    }

    /// Reads the next request, unless the answer to the one before waits to be read.
    private mutating func advance() -> [ClientEffect] {
        guard phase == .listening, isWritten else { return [] }
        if let line = splitter.next() ?? (hasInputEnded ? splitter.finish() : nil) { return read(line) }
        guard hasInputEnded else { return [] }
        phase = .over
        return [.close]
    }

    private mutating func read(_ line: LineSplitter.Line) -> [ClientEffect] {
        let text: String
        do throws(ChatError) { text = try line.text() } catch {
            return ask(.fault(error), ControlRequest(.command("")))
        }
        do throws(ControlFault) {
            let request = try ControlRequest(line: text)
            return ask(ControlSession.question(of: request), request)
        } catch {
            return answer([.send(ControlLines.error(error), of: nil)])
        }
    }

    private mutating func ask(_ question: ClientQuestion, _ request: ControlRequest) -> [ClientEffect] {
        phase = .answering(request)
        lastRequest += 1
        return [.ask(number: lastRequest, question, in: request.room.map { .named($0) } ?? .open)]
    }

    private static func question(of request: ControlRequest) -> ClientQuestion {
        switch request.action {
        case .say(let text, to: let who?): return .command(.message(who: who, text: text))
        case .say(let text, to: nil): return request.room == nil ? .text(text) : .command(.sayToRoom(text))
        case .command(let line):
            do throws(ChatError) { return .command(try Command(line: line)) } catch { return .fault(error) }
        case .tail(let withHistory): return .tail(withHistory: withHistory)
        case .prometheus: return .command(.statistics)
        }
    }
}
