/// A view of the chat, which shows one conversation or none: the display's, or that of one client of a server.
package struct ViewID: Hashable, Sendable {
    package enum Face: Hashable, Sendable {
        case display, control, web, stomp, irc
    }

    private let face: Face
    private let client: Int

    /// - Parameter client: its number at the server of that face.
    package init(_ client: Int, of face: Face = .web) { (self.face, self.client) = (face, client) }

    /// That of the display and of programs without a connection: its conversation is the open one of all that have opened none.
    package static let shared = ViewID(0, of: .display)
}
