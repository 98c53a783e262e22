package import Chat
package import ChatNode
import Phrases
package import Wire

/// `/history`, and with a text the messages that `/search` found. Faces show the messages below the line.
package struct MessageList: AnswerContent {
    package let view: ConversationView
    package let messages: [MessageView]
    /// The text that was searched; nil for all stored messages.
    package let wanted: String?

    package func lines(_ wording: Wording, at _: Timestamp) -> [String] {
        let count = wording.language(.messages, "\(messages.count)")
        guard let wanted else { return [wording.language(.historyOf, wording.name(view), count)] }
        return [wording.language(.found, wording.name(view), count, DisplayGuard.safe(wanted))]
    }

    package func write(to json: inout JSONWriter) {
        json.members(of: view)
        json.list("messages", messages) { $0.members(of: $1) }
    }

    package func texts(in room: RoomLabel) -> [AnswerText] { messages.map { AnswerText($0, in: room) } }
}

/// `/stats`.
package struct Counters: AnswerContent {
    package let counters: [Counter]

    /// People want to know what happened; JSON also has what did not.
    package func lines(_: Wording, at _: Timestamp) -> [String] {
        counters.filter { $0.value != 0 }.map { "\($0.metric.name) \($0.value)" }
    }

    package func write(to json: inout JSONWriter) {
        for counter in counters { json.member(counter.metric.name, counter.value) }
    }
}

/// `/help`.
package struct CommandList: AnswerContent {
    package let entries: [CommandEntry]

    package func lines(_ wording: Wording, at _: Timestamp) -> [String] {
        let language = wording.language
        if entries.count == 1, let entry = entries.first {
            let aliases = entry.aliases.map { "/\($0)" }.joined(separator: ", ")
            let also = aliases.isEmpty ? [] : [language(.aliasLine, aliases)]
            return ["\(entry.usage)  \(language(entry.help))"] + also
        }
        let listed = entries.filter { $0.group != nil }
        let width = listed.map(\.usage.count).max() ?? 0
        let table = listed.map { entry in
            entry.usage + String(repeating: " ", count: width - entry.usage.count + 2) + language(entry.help)
        }
        return table + [language(.whoNote)]
    }

    package func write(to json: inout JSONWriter) {
        json.list("commands", entries) {
            $0.member("usage", $1.usage)
            $0.member("does", $1.help.english)
        }
    }
}

/// `/wipe`: the numbers of discarded entries, and the files that were removed.
package struct Wiped: AnswerContent {
    let lost: MemoryUsage
    let files: [String]
    /// Until the new identity comes, in seconds.
    let pause: Int

    package func lines(_ wording: Wording, at _: Timestamp) -> [String] {
        let language = wording.language
        let conversations = language(.conversations, "\(lost.conversations)")
        return [
            language(.forgottenConversations, conversations, language(.messages, "\(lost.messages)")),
            language(.forgottenPeers, language(.people, "\(lost.peers)")),
            language(.forgottenKeys),
        ] + files.map { language(.removedFile, DisplayGuard.safe($0)) }
            + [language(.othersKeep), language(.newIdentity)]
            + (pause > 0 ? [language(.awayAfterWipe, "\(pause)")] : [])
    }

    package func write(to json: inout JSONWriter) {
        json.member("conversations", lost.conversations)
        json.member("messages", lost.messages)
        json.member("peers", lost.peers)
        json.member("files", files)
        json.member("pauseSeconds", pause)
    }
}

extension Answer {
    package static func history(_ view: ConversationView, _ messages: [MessageView]) -> Answer {
        Answer("history", MessageList(view: view, messages: messages, wanted: nil))
    }

    package static func statistics(_ counters: [Counter]) -> Answer { Answer("stats", Counters(counters: counters)) }

    package static func help(_ entries: [CommandEntry]) -> Answer { Answer("help", CommandList(entries: entries)) }

    package static func wiped(_ lost: MemoryUsage, files: [String], pause: Int = 0) -> Answer {
        Answer("wipe", Wiped(lost: lost, files: files, pause: pause))
    }
}
