package import Commands

/// A program without input: no line ever comes.
package struct NoInput: LineSource {
    package init() {}

    package func next() -> InputLine? { nil }

    package func settle(_: InputLine, _: LineOutcome) {}
}
