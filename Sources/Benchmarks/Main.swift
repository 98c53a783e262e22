import ChatNode
import Reactor

/// Measures what the program is made of, piece by piece, and lends itself as a node to those who measure groups.
@main
struct Benchmarks {
    static func main() {
        CoreDumps.forbid()
        let words = CommandLine.arguments.dropFirst()
        switch words.first {
        case "node": runNode(Array(words.dropFirst()))
        default: fail("unknown mode; modes: \(GroupNodeSettings.usage)")
        }
    }

    /// The node has the main thread, as in the program; the other reads commands.
    private static func runNode(_ words: [String]) -> Never {
        guard let settings = GroupNodeSettings(words) else { fail("usage: \(GroupNodeSettings.usage)") }
        do throws(SystemError) {
            let loop = try EventLoop(name: "node")
            let input = try EventLoop(name: "input")
            let node = try GroupNode(settings, on: loop)
            Task {
                do throws(TransportError) { try await node.begin() } catch { fail("can not listen: \(error)") }
                input.start()
                input.execute { obeyInput(node, on: loop) }
            }
            loop.run()
        } catch {
            fail("\(error)")
        }
        Line.end(0)
    }

    private static func obeyInput(_ node: GroupNode, on loop: EventLoop) {
        while let line = readLine() {
            guard let command = DriverCommand(line) else {
                Line.complain("no command: \(line)")
                continue
            }
            loop.execute { node.assumeIsolated { $0.obey(command) } }
        }
        loop.execute { node.assumeIsolated { $0.obey(.quit) } }
    }

    private static func fail(_ message: String) -> Never {
        Line.complain(message)
        Line.end(1)
    }
}
