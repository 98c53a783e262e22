package import Commands
package import Wire

/// How reports become bytes. A value: the output depends on nothing but the reports so far and the time.
package protocol Presentation: Sendable {
    /// The bytes for a report that is shown at `time`; none for a report that this presentation leaves out.
    mutating func rendering(of report: RoomReport, at time: Timestamp) -> Rendering
}

/// Whole lines, each with its line feed.
package struct Rendering: Hashable, Sendable {
    /// For standard output.
    package var output: [UInt8] = []
    /// For standard error.
    package var diagnostics: [UInt8] = []

    package init(output: [UInt8] = [], diagnostics: [UInt8] = []) {
        self.output = output
        self.diagnostics = diagnostics
    }
}
