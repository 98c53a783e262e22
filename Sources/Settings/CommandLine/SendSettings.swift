import Wire

/// The settings of `earshot send`.
struct SendSettings: AskingSettings {
    static let command = Invocation.CommandName.send
    package static let summary = "say something through the node that runs"
    package static let operands = "TEXT|-"
    static let options: [Option<SendSettings>] =
        [
            .value(
                "--to", "WHO", "say it to this peer alone, instead of the room",
                wanted: "a number such as 4821, or a nickname", ClientRequest.name
            ) { $0.who = $1 },
            ClientRequest.roomOption("say it in this room, instead of the open one") { $0.place = $1 },
            .flag("--json", "show what was said as a line of JSON, with its id") { $0.isJSON = true },
        ] + ControlChoice.asking()

    /// Nil for the room.
    package var who: String?
    /// The name of a room; nil for the open one.
    private var place: String?
    package var isJSON = false
    package var control = ControlChoice.own
    package var configuration = ConfigurationChoice.own
    /// Each a message; nil for those of standard input.
    private var lines: [String]? = []

    /// Words that stand apart are said with a space between them; each line is a message of its own.
    package mutating func take(operands: [String]) throws(UsageError) {
        guard !operands.isEmpty else { throw UsageError("earshot send does not say what; write earshot send TEXT") }
        guard operands != ["-"] else {
            lines = nil
            return
        }
        lines = SendLines.of(operands.joined(separator: " "))
    }

    package var question: ClientRequest {
        let requests = lines.map { lines in
            ClientRequest.Requests.these(lines.map { ControlRequest(.say($0, to: who), in: place) })
        }
        return ClientRequest(control: control, requests: requests ?? .input(to: who, in: place), showsJSON: isJSON)
    }
}

/// Text as messages, a line each.
package enum SendLines {
    /// Empty lines are left out, unless there is no other: then the node tells what is wrong with it.
    package static func of(_ text: String) -> [String] {
        let lines = text.utf8.split { $0 == 0x0a || $0 == 0x0d }.map { String(Substring($0)) }
        let said = lines.filter { !$0.isBlank }
        return said.isEmpty ? [""] : said
    }
}
