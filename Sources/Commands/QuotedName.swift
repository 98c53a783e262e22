/// A name as a line has it: a word, or a text in double quotes, in which `\"` is a quote and `\\` a backslash.
package enum QuotedName {
    /// The name as a word, or in quotes where it is none.
    package static func text(of name: String) -> String {
        guard name.isEmpty || name.unicodeScalars.contains(where: { $0.properties.isWhitespace || $0 == "\"" }) else {
            return name
        }
        var quoted = ""
        for scalar in name.unicodeScalars {
            if scalar == "\"" || scalar == "\\" { quoted += "\\" }
            quoted.unicodeScalars.append(scalar)
        }
        return "\"\(quoted)\""
    }

    /// The name in the quotes that a text begins with, and the text behind them. Nil without either quote.
    package static func split(_ text: Substring) -> (name: String, rest: Substring)? {
        guard text.utf8.first == UInt8(ascii: "\"") else { return nil }
        var (name, rest) = ("", text.unicodeScalars.dropFirst())
        while let scalar = rest.popFirst() {
            switch scalar {
            case "\"": return (name, Substring(rest))
            case "\\" where rest.first == "\"" || rest.first == "\\": name.unicodeScalars.append(rest.removeFirst())
            default: name.unicodeScalars.append(scalar)
            }
        }
        return nil
    }
}
