import Reactor
import Settings
import TerminalFace

/// The face that the environment of the program decides: how lines come in and reports go out.
enum ChosenFace: Hashable, Sendable {
    /// Lines as they are: a pipe, `--plain` or `--json`, or a terminal that can do nothing but print (`TERM=dumb`).
    case stream(isTyped: Bool)
    /// A terminal, with the line editor.
    case terminal(colors: Theme.Depth)

    /// Whether a user types the lines.
    var isTyped: Bool {
        switch self {
        case .stream(let isTyped): isTyped
        case .terminal: true
        }
    }

    init(_ arguments: Arguments) {
        let isTyped = arguments.readsInput && Descriptors.isTerminal(Descriptors.input)
        let kind = ProcessEnvironment.value("TERM") ?? ""
        let canDraw = !kind.isEmpty && kind != "dumb" && Descriptors.isTerminal(Descriptors.output)
        guard arguments.format == .automatic, isTyped, canDraw else {
            self = .stream(isTyped: isTyped)
            return
        }
        self = .terminal(colors: Theme.Depth(environment: ProcessEnvironment.value))
    }
}
