import Wire

/// How reports become bytes. A value: what is shown depends on nothing but the reports so far and the time.
protocol Presentation: Sendable {
    /// What to write for a report that is shown at `time`; nothing for one that this presentation leaves out.
    mutating func rendering(of report: Report, at time: Timestamp) -> Rendering
}

/// Whole lines, each with its line feed.
struct Rendering: Hashable, Sendable {
    /// For standard output.
    var output: [UInt8] = []
    /// For standard error.
    var diagnostics: [UInt8] = []
}
