import Commands
import LineEditor
import Model
import Phrases
import Wire

/// The lines that were begun in conversations which are not open now.
struct Drafts: Sendable {
    /// Of more, the one that was begun first is forgotten. Each has at most `EditorState.mostBytes`.
    static let capacity = 64

    private var texts: [(id: ConversationID, text: String)] = []

    /// - Parameter text: empty for none.
    mutating func keep(_ text: String, of id: ConversationID) {
        texts.removeAll { $0.id == id }
        guard !text.isEmpty else { return }
        if texts.count == Drafts.capacity { texts.removeFirst() }
        texts.append((id, text))
    }

    /// The draft of a conversation, which is in the editor from now on; empty for none.
    mutating func take(of id: ConversationID) -> String {
        guard let index = texts.firstIndex(where: { $0.id == id }) else { return "" }
        return texts.remove(at: index).text
    }

    /// Forgets those of the conversations that a test names.
    mutating func forget(where isGone: (ConversationID) -> Bool) { texts.removeAll { isGone($0.id) } }
}

/// The line of the editor follows the conversation that is open.
extension TerminalSession {
    /// A line was entered, or a key pressed, that opens a conversation: the text that is typed from now on is for that one.
    mutating func beginMove() {
        if moves == 0, let open = view.open { drafts.keep(editor.exchangeLine(with: ""), of: open) }
        moves += 1
    }

    /// The line that was to open a conversation did, or was refused: a draft is not mixed with what was typed for another one, and
    /// is in the history then.
    ///
    /// - Returns: whether it was the last one.
    @discardableResult
    mutating func endMove(isRefused: Bool = false) -> Bool {
        guard moves > 0 else { return false }
        moves -= 1
        guard moves == 0 else { return false }
        echo()
        guard let open = view.open else { return true }
        let draft = drafts.take(of: open)
        if isRefused, !editor.isEmpty { editor.keep(draft) } else { _ = editor.exchangeLine(with: draft + editor.text) }
        return true
    }

    /// - Parameter before: the conversation that was open before the report.
    mutating func followOpening(in report: RoomReport, before: ConversationID?) {
        let isAnswer = report.report.content(Opening.self) != nil
        if moves > 0, isAnswer {
            endMove()
            return
        }
        guard let before, let open = view.open, open != before, moves == 0 else { return }
        let draft = drafts.take(of: open)
        // The user may go on typing: nothing of it is said here unseen.
        if !editor.isEmpty { held = .lineIsOfAnother }
        if isGone(before) {
            // No conversation has the line any more: it stays, and the other draft is in the history.
            if editor.isEmpty { _ = editor.exchangeLine(with: draft) } else { editor.keep(draft) }
        } else {
            drafts.keep(editor.exchangeLine(with: draft), of: before)
        }
        echo()
    }

    private func isGone(_ id: ConversationID) -> Bool {
        view.model.conversation(id) == nil || view.model.room(id.room)?.isLeaving ?? true
    }
}
