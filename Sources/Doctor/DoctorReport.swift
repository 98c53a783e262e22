import Commands
import Rendering
import Chat

/// The output of `earshot doctor`.
enum DoctorReport {
    /// A line for each finding with what to do below it, and one that sums up.
    package static func plain(_ diagnosis: Diagnosis) -> String {
        let lines = diagnosis.findings.flatMap { finding in
            let word = finding.severity.rawValue
            let first = word + String(repeating: " ", count: 9 - word.count) + finding.message
            return [first] + (finding.advice.map { [String(repeating: " ", count: 9) + "-> " + $0] } ?? [])
        }
        return (lines + ["", summary(diagnosis)]).map { DisplayGuard.safe($0) + "\n" }.joined()
    }

    /// An object on a line for each finding, and one that sums up.
    package static func json(_ diagnosis: Diagnosis) -> [UInt8] {
        var writer = JSONWriter()
        for finding in diagnosis.findings {
            writer.object {
                $0.member("event", "finding")
                $0.member("severity", finding.severity.rawValue)
                $0.member("code", finding.code.rawValue)
                $0.member("interface", orNull: finding.interface)
                $0.member("message", finding.message)
                $0.member("advice", orNull: finding.advice)
            }
            writer.endLine()
        }
        writer.object {
            $0.member("event", "summary")
            $0.member("version", Version.current)
            $0.member("problems", diagnosis.problems)
            $0.member("notes", diagnosis.notes)
        }
        writer.endLine()
        return writer.bytes
    }

    private static func summary(_ diagnosis: Diagnosis) -> String {
        "\(counted(diagnosis.problems, "problem")), \(counted(diagnosis.notes, "note"))"
    }

    private static func counted(_ count: Int, _ word: String) -> String {
        "\(count == 0 ? "no" : "\(count)") \(word)\(count == 1 ? "" : "s")"
    }
}

extension JSONWriter {
    fileprivate mutating func member(_ name: String, orNull value: String?) {
        if let value { member(name, value) } else { member(name) { $0.literal("null") } }
    }
}
