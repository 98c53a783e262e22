/// What one operation was measured to cost.
struct Figure: Hashable {
    let mode: Mode
    /// Such as `seal 512 bytes`.
    let operation: String
    /// Nanoseconds for one, the median of all samples.
    let median: Double
    /// Nanoseconds for one in the quickest sample: the figure that a busy machine changes least.
    let least: Double
    let samples: Int

    var json: String {
        let times = #""ns":\#(Figure.text(median)),"least_ns":\#(Figure.text(least)),"samples":\#(samples)"#
        return #"{"mode":"\#(mode.rawValue)","operation":"\#(operation)",\#(times)}"#
    }

    /// A row under `header`.
    var row: String {
        Figure.row(mode.rawValue, operation, Figure.text(median), Figure.text(least), "\(samples)")
    }

    static var header: String { row("mode", "operation", "median ns", "least ns", "samples") }

    /// With one digit behind the point.
    private static func text(_ nanoseconds: Double) -> String {
        let tenths = Int(nanoseconds * 10 + 0.5)
        return "\(tenths / 10).\(tenths % 10)"
    }

    private static func row(_ mode: String, _ operation: String, _ figures: String...) -> String {
        let cells = figures.map { String(repeating: " ", count: max(0, 12 - $0.count)) + $0 }
        return pad(mode, 10) + pad(operation, 34) + cells.joined()
    }

    private static func pad(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(1, width - text.count))
    }
}
