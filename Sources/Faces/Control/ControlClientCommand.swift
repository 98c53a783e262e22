import Commands
import Reactor
import Rendering
package import Settings
import Chat
import Glibc
import Wire

/// Puts a question to a node that runs, and shows what it answers.
package struct ControlClientCommand: ~Copyable {
    /// The reason why no answer comes, or no more of it. The line is lower-case: the failure; the remedy.
    package enum Failure: Error {
        /// No node answers.
        case unavailable(String)
        case failed(String)
        /// The reader of standard output has closed it, which is no fault.
        case unread
    }

    private let question: ClientRequest
    private var connection: ControlConnection
    private let diagnostics = Diagnostics(level: .error)
    private var hasErrors = false

    /// - Returns: the exit code: 1 if the node refused a command; it runs the others all the same.
    package static func run(_ question: ClientRequest) throws(Failure) -> CInt {
        guard let path = question.control.path(in: Surroundings.ofProcess) else {
            throw .unavailable(
                "no node is known, as XDG_RUNTIME_DIR is not set; start earshot with --control FILE, and name that FILE here"
            )
        }
        var connection = try connection(to: path)
        try greet(&connection, at: path)
        var asking = ControlClientCommand(question, of: connection)
        switch question.requests {
        case .these(let requests): for request in requests { try asking.ask(request) }
        case .input(to: let who, in: let room): try asking.askInput(to: who, in: room)
        }
        return asking.hasErrors ? 1 : 0
    }

    private init(_ question: ClientRequest, of connection: consuming ControlConnection) {
        self.question = question
        self.connection = connection
    }

    private static func connection(to path: String) throws(Failure) -> ControlConnection {
        do throws(SystemError) { return try ControlConnection(path: path) } catch { throw noNode(path, error) }
    }

    /// Reads who answers.
    private static func greet(_ connection: inout ControlConnection, at path: String) throws(Failure) {
        let greeting = connection.line().flatMap(ControlLines.object)
        if greeting?["event"]?.string == "error" {
            throw .failed("\(greeting?["message"]?.string ?? "the node refuses"); try again")
        }
        guard let version = greeting?["protocol"]?.integer else {
            throw .unavailable("no node of this user answers at \(path); name another socket with --control")
        }
        guard version == ControlLines.version else {
            throw .failed("the node at \(path) is of another version; use the program that it runs")
        }
    }

    private static func noNode(_ path: String, _ error: SystemError) -> Failure {
        let isNobody = error.errno == ENOENT || error.errno == ECONNREFUSED
        return .unavailable(
            isNobody
                ? "no node runs at \(path); start earshot, or name its socket with --control"
                : "no node can be asked at \(path): \(error.reason); name another socket with --control")
    }
}

extension ControlClientCommand {
    /// Sends each line of standard input once the line before is done. A refusal is reported, and the next line follows.
    private mutating func askInput(to who: String?, in room: String?) throws(Failure) {
        var splitter = LineSplitter()
        var buffer = [UInt8](repeating: 0, count: 16_384)
        var hasEnded = false
        while !hasEnded {
            let count = Descriptors.read(into: &buffer, from: Descriptors.input)
            hasEnded = count == 0
            splitter.feed(buffer[..<count])
            while let line = splitter.next() ?? (hasEnded ? splitter.finish() : nil) {
                try say(line, to: who, in: room)
            }
        }
    }

    private mutating func say(_ line: LineSplitter.Line, to who: String?, in room: String?) throws(Failure) {
        let text: String
        do throws(ChatError) { text = try line.text() } catch { return refused(error.code.rawValue, error.message) }
        if !text.isBlank { try ask(ControlRequest(.say(text, to: who), in: room)) }
    }

    private mutating func ask(_ request: ControlRequest) throws(Failure) {
        do throws(SystemError) { try connection.send(request) } catch { throw ControlClientCommand.lost }
        while true {
            guard let text = connection.line() else { throw connection.isUnread ? .unread : ControlClientCommand.lost }
            let line = ControlLines.object(text)
            switch line?["event"]?.string {
            case "end": return
            case "error":
                if question.showsJSON { try print(text + "\n") }
                refused(line?["code"]?.string ?? "error", line?["message"]?.string ?? "")
            case "line": try print((line?["text"]?.string ?? "") + "\n")
            case "result" where line?["command"]?.string == "prometheus": try print(line?["text"]?.string ?? "")
            case _: if question.showsJSON { try print(text + "\n") }
            }
        }
    }

    private static var lost: Failure {
        .failed("the node has ended, or closed the connection because it was read too slowly; see whether it runs")
    }

    private mutating func refused(_ code: String, _ message: String) {
        hasErrors = true
        diagnostics.say(.error, "\(message) (\(code))")
    }

    private func print(_ text: String) throws(Failure) {
        do throws(SystemError) {
            try Descriptors.write(Array(text.utf8), to: Descriptors.output)
        } catch {
            if Descriptors.isClosedByReader(error) { throw .unread }
            throw .failed("standard output: \(error.reason); see where it goes")
        }
    }
}
