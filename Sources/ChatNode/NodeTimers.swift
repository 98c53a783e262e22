import Chat
import Wire

/// The timers of a node, one for each part with a deadline.
enum NodeTimer: Int, CaseIterable {
    case bridge, choice, cover, crowd, dialler, history, leaving, mail, overlay, router, senders, typing
}
