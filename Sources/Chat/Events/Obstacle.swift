package import Phrases

/// Why no peer may be found, as the node warned of it.
package struct Obstacle: Hashable, Sendable {
    package let code: NoticeCode
    package let sentence: Sentence

    /// Nil for a notice about something else.
    package init?(_ code: NoticeCode, _ sentence: Sentence) {
        guard code.isObstacle else { return nil }
        (self.code, self.sentence) = (code, sentence)
    }
}
