/// A view of the chat, as a terminal, a page or a subscription, which shows one conversation or none.
package struct ViewID: Hashable, Sendable {
    package let number: Int

    package init(_ number: Int) { self.number = number }

    /// The view of all faces that share one open conversation: commands open conversations in it.
    package static let shared = ViewID(0)
}
