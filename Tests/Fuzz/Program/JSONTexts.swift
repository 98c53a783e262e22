import Commands
import Rendering
import Settings

extension FuzzTarget {
    /// A text that is read means the same when its values are written again, and so does a line of the control socket.
    static let json = FuzzTarget(name: "json", seeds: { JSONTexts.all.map { Array($0.utf8) } }) { input in
        if let line = String(validating: input, as: UTF8.self) { JSONTexts.checkRequest(line) }
        guard let value = try? JSONValue(parsing: input) else { return }
        demand(String(validating: input, as: UTF8.self) != nil, "a text that is not UTF-8")
        var writer = JSONWriter()
        JSONTexts.write(value, with: &writer)
        demand((try? JSONValue(parsing: writer.bytes)) == value, "a written text means something else")
        JSONTexts.look(at: value)
    }
}

/// Texts of JSON, and their values written again.
enum JSONTexts {
    static let all = [
        #"{"text":"hi","on":true,"list":[1,-0.5e+3,null,{}],"deep":[[[[]]]]}"#, #""\ud83d\ude42\n\u0000가""#,
        #" [ 0 , "\ud800" ] "#, #"["\ud800\u0041","\ud800\n","\q","#, #""\b\f\n\r\t\/\"\\""#, "\"open", "[1e]", "[1,",
        "tru", "{\"a\":1,\"a\":2}", "-01",
        "plain in \"a b\" to ben say hi", "in tea command /who", "tail history", "tail", "prometheus", "in tea tail",
        "say", "plain tail",
        "to \"a\\\"b\" say x", "to \"a\"b say x", "in", "to \"a", "command x", "\"\u{1}\"", "{1}", "{\"a\" 1}", "{} x",
        #""\u00g0""#, #""\u00"#, "{\"a\":7}", #"{"a":{"a":{"a":false}}}"#,
    ]

    /// A request at the control socket.
    static func checkRequest(_ line: String) {
        guard let request = try? ControlRequest(line: line) else { return }
        demand((try? ControlRequest(line: request.line)) == request, "a written request asks for something else")
    }

    /// Each value is of one kind, and a member is found by its name alone.
    static func look(at value: JSONValue) {
        let kinds = [value.string != nil, value.bool != nil, value.array != nil, value.integer != nil].count { $0 }
        switch value {
        case .string, .bool, .array: demand(kinds == 1, "a value of several kinds")
        case .number: demand(kinds <= 1 && value.string == nil, "a number of another kind")
        case .null, .object: demand(kinds == 0, "a value of another kind")
        }
        if value["text"] != nil, case .object = value {} else { demand(value["text"] == nil, "a member of no object") }
        for element in value.array ?? [] { look(at: element) }
        guard case .object(let members) = value else { return }
        for (name, member) in members {
            demand(value[name.text] == member && "\(name)" == name.text, "a member by another name")
            look(at: member)
        }
    }

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
