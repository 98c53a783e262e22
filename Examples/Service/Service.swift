import Dispatch
import Earshot
import Glibc

/// A bot that runs as a service: it leaves politely at SIGINT and SIGTERM, and joins again where the machine was the cause of its end.
///
///     swift run Service                    in the lobby, found by mDNS
///     swift run Service 192.0.2.7:4000     with a node that is named
@main
enum Service {
    static func main() async throws {
        try await untilAsked { try await stay(as: .ephemeral()) }
    }
}

/// Cancels `body` at SIGINT and SIGTERM. A second signal ends the process at once.
func untilAsked(_ body: @escaping @Sendable () async throws -> Void) async throws {
    let task = Task { try await body() }
    let sources = [SIGINT, SIGTERM].map { number in
        // The default action would end the process before the source sees the signal.
        signal(number, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: number)
        source.setEventHandler {
            signal(number, SIG_DFL)
            task.cancel()
        }
        source.resume()
        return source
    }
    defer { for source in sources { source.cancel() } }
    do { try await task.value } catch is CancellationError {}
}

/// Answers in the lobby until the task is cancelled, or until joining again is of no use.
func stay(as me: Identity) async throws {
    while true {
        do {
            let end = try await Room.join("lobby", as: me, nickname: "service", options: named()) { room in
                try await answer(in: room)
            }
            guard case .failed(let cause) = end else { return print("left:", end.map { "\($0)" } ?? "asked to") }
            print("the node has failed:", cause)
        } catch let error as JoinError where isPassing(error) {
            print("not joined:", error)
        }
        try await Task.sleep(for: .seconds(10))
    }
}

/// Whether the cause may be gone in a while. A wrong name or key stays wrong.
func isPassing(_ error: JoinError) -> Bool {
    switch error.reason {
    case .failed, .portUnavailable, .noInterface, .refusedBySystem: true
    default: false
    }
}

/// Returns the reason of the node's end; nil where the task is cancelled.
func answer(in room: Room) async throws -> Event.Stop? {
    for await event in room.events {
        do {
            switch event {
            case .message(let message) where !message.isFromCurrentUser:
                try await message.reply(Message.fitting("re: \(message.text)"))
            case .stopped(let reason): return reason
            default: break
            }
        } catch let error as SendError {
            // After `ended`, the last event says why.
            print("not said:", error)
        }
    }
    return nil
}

func named() -> Options {
    var options = Options()
    options.peers = Array(CommandLine.arguments.dropFirst())
    if !options.peers.isEmpty { options.discovery = .disabled }
    return options
}
