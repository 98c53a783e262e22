import EarshotControl

/// Prints who is here and then what is said, by a node that runs, and says hello.
///
///     earshot &
///     swift run Watcher
@main
enum Watcher {
    static func main() async throws {
        try await ControlClient.connect(to: CommandLine.arguments.dropFirst().first) { node in
            for line in try await node.command("/who") {
                for peer in line["peers"]?.elements ?? [] {
                    print(peer["who"]?["displayName"]?.string ?? "?", "is here")
                }
            }
            let events = try await node.tail()
            try await node.say("hello from a watcher")
            for try await event in events {
                switch event {
                case .line(let line) where line.event == "message":
                    print(line["from"]?["displayName"]?.string ?? "?", line["text"]?.string ?? "")
                case .missed(let count): print("too slow for", count, "events")
                default: break
                }
            }
        }
    }
}
