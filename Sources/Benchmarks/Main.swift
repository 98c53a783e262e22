import ChatNode
import Reactor

/// Measures what the program is made of, piece by piece, and lends itself as a node to those who measure groups.
@main
struct Benchmarks {
    static func main() {
        CoreDumps.forbid()
        let words = Array(CommandLine.arguments.dropFirst())
        switch words.first {
        case "node": runNode(Array(words.dropFirst()))
        case let name?: measure(name, words.dropFirst())
        case nil: fail(usage)
        }
    }

    private static let usage =
        "usage: \(Mode.allCases.map(\.rawValue).joined(separator: " | ")) [SAMPLES]; or \(GroupNodeSettings.usage)"

    /// A table for people, then a line of JSON for each of its rows.
    private static func measure(_ name: String, _ words: ArraySlice<String>) -> Never {
        guard let mode = Mode(rawValue: name), words.count <= 1, let samples = Int(words.first ?? "51"), samples > 0
        else { fail(usage) }
        let figures = mode.measure(samples: samples)
        Line.say(Figure.header)
        for figure in figures { Line.say(figure.row) }
        for figure in figures { Line.say(figure.json) }
        Line.end(0)
    }

    /// The node has the main thread, as in the program; the other reads commands.
    private static func runNode(_ words: [String]) -> Never {
        guard let settings = GroupNodeSettings(words) else { fail("usage: \(GroupNodeSettings.usage)") }
        do throws(SystemError) {
            let loop = try EventLoop(name: "node")
            let input = try EventLoop(name: "input")
            let node = try GroupNode(settings, on: loop)
            loop.launch {
                do throws(TransportError) { try await node.begin() } catch { fail("can not listen: \(error)") }
                do throws(SystemError) { try input.start() } catch { fail("\(error)") }
                input.execute { obeyInput(node) }
            }
            loop.run()
        } catch {
            fail("\(error)")
        }
        Line.end(0)
    }

    private static func obeyInput(_ node: GroupNode) {
        while let line = readLine() {
            guard let command = DriverCommand(line) else {
                Line.complain("no command: \(line)")
                continue
            }
            node.execute { $0.obey(command) }
        }
        node.execute { $0.obey(.quit) }
    }

    private static func fail(_ message: String) -> Never {
        Line.complain(message)
        Line.end(1)
    }
}
