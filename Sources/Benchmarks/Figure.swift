import Glibc

/// The measured cost of one operation.
struct Figure: Hashable {
    let mode: Mode
    /// For example `seal 512 bytes`.
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

/// Lines to the measuring program, each written at once, and the end of the process.
package enum Line {
    /// On standard output.
    static func say(_ line: String) { write(line, to: 1) }

    /// On standard error.
    static func complain(_ message: String) { write("benchmarks: \(message)", to: 2) }

    static func end(_ code: CInt) -> Never { exit(code) }

    /// Lines are shorter than a pipe takes at once; without a reader the process ends.
    private static func write(_ line: String, to descriptor: CInt) {
        let bytes = Array("\(line)\n".utf8)
        let count = unsafe bytes.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
        if count < 0 { end(3) }
    }
}
