package import Phrases

/// A sentence of a test is the same in each language.
extension Sentence: ExpressibleByStringLiteral {
    package init(stringLiteral text: String) { self.init(Phrase("%1", "%1"), text) }
}
