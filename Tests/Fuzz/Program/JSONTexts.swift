import Commands
import Rendering

extension FuzzTarget {
    /// A text that is read means the same when its values are written again.
    static let json = FuzzTarget(name: "json", seeds: { JSONTexts.all.map { Array($0.utf8) } }) { input in
        guard let value = try? JSONValue(parsing: input) else { return }
        demand(String(validating: input, as: UTF8.self) != nil, "a text that is not UTF-8")
        var writer = JSONWriter()
        JSONTexts.write(value, with: &writer)
        demand((try? JSONValue(parsing: writer.bytes)) == value, "a written text means something else")
    }
}

/// Texts of JSON, and their values written again.
enum JSONTexts {
    static let all = [
        #"{"text":"hi","on":true,"list":[1,-0.5e+3,null,{}],"deep":[[[[]]]]}"#, #""\ud83d\ude42\n\u0000가""#,
        #" [ 0 , "\ud800" ] "#, #"{"a":{"a":{"a":false}}}"#,
    ]

    static func write(_ value: JSONValue, with writer: inout JSONWriter) {
        switch value {
        case .null: writer.literal("null")
        case .bool(let isTrue): writer.literal(isTrue ? "true" : "false")
        case .number(let text): writer.literal(text)
        case .string(let text): writer.string(text)
        case .array(let elements): writer.array { for element in elements { write(element, with: &$0) } }
        case .object(let members):
            writer.object { object in
                for (name, value) in members { object.member(name.text) { write(value, with: &$0) } }
            }
        }
    }
}
