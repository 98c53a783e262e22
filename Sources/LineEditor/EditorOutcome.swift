/// What came of a key.
package enum EditorOutcome: Hashable, Sendable {
    /// The text, the cursor or the question is another one.
    case changed
    /// The key can do nothing here: the terminal may ring.
    case refused
    /// A line was entered, and is no longer in the editor.
    case entered(String)
    /// A paste was confirmed: its lines in order.
    case pasted([String])
    /// Several words may be meant.
    case choices([String])
    /// Escape, where there was nothing to get out of.
    case escaped
    case clearScreen
    case endOfInput
    case interrupted
}
