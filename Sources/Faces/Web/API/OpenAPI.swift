import Commands
import Rendering

/// The description of the API (OpenAPI 3.1), from the routing table.
enum OpenAPI {
    static let bytes = WebJSON.object { writer in
        writer.member("openapi", "3.1.0")
        writer.member("info") {
            $0.object {
                $0.member("title", "Earshot")
                $0.member("version", Version.current)
            }
        }
        writer.member("security") { $0.literal(#"[{"token":[]}]"#) }
        writer.member("paths") { $0.object { paths(&$0) } }
        writer.member("components") {
            $0.object {
                $0.member("securitySchemes") { $0.literal(#"{"token":{"type":"http","scheme":"bearer"}}"#) }
                $0.member("schemas") {
                    $0.object {
                        for (name, schema) in Schema.components.sorted(by: { $0.key < $1.key }) {
                            $0.member(name) { $0.literal(schema) }
                        }
                    }
                }
            }
        }
    }

    private static func paths(_ writer: inout JSONWriter) {
        var known: Set<String> = []
        for path in Route.all.map(\.path) where known.insert(path).inserted {
            writer.member(path) {
                $0.object {
                    for route in Route.all where route.path == path {
                        $0.member(route.method.lowercased()) { $0.object { operation(route, &$0) } }
                    }
                }
            }
        }
    }

    private static func operation(_ route: Route, _ writer: inout JSONWriter) {
        writer.member("operationId", route.operation)
        writer.member("summary", route.summary)
        if route.isOpen { writer.member("security") { $0.literal("[]") } }
        writer.member("parameters") {
            $0.array {
                for segment in route.path.split(separator: "/") where segment.first == "{" {
                    let name = String(segment.dropFirst().dropLast())
                    parameter(name, "path", schema(ofSegment: name), &$0)
                }
                for (name, schema) in route.query { parameter(name, "query", schema, &$0) }
                if route.success.status == 201 { parameter("Idempotency-Key", "header", idempotencyKey, &$0) }
            }
        }
        if let body = route.body {
            writer.member("requestBody") {
                $0.object {
                    $0.member("required", true)
                    $0.member("content") { $0.object { content("application/json", body, &$0) } }
                }
            }
        }
        writer.member("responses") { $0.object { responses(of: route, &$0) } }
    }

    private static let idempotencyKey = #"{"type":"string","pattern":"^[ -~]{1,128}$"}"#

    private static func schema(ofSegment name: String) -> String {
        switch name {
        case "key": Schema.key
        case "message", "card": Schema.id
        case "room": #"{"type":"string","pattern":"^r[0-9]{1,9}$"}"#
        case "mark": #"{"enum":["mute","block","verified"]}"#
        default: #"{"type":"string","pattern":"^r[0-9]{1,9}(-[0-9a-f]{64})?$"}"#
        }
    }

    private static func parameter(_ name: String, _ place: String, _ schema: String, _ writer: inout JSONWriter) {
        writer.object {
            $0.member("name", name)
            $0.member("in", place)
            $0.member("required", place == "path")
            $0.member("schema") { $0.literal(schema) }
        }
    }

    private static func content(_ type: String, _ schema: String, _ writer: inout JSONWriter) {
        writer.member(type) { $0.object { $0.member("schema") { $0.literal(schema) } } }
    }

    private static func responses(of route: Route, _ writer: inout JSONWriter) {
        writer.member("\(route.success.status)") {
            $0.object {
                $0.member("description", "done")
                if let schema = route.success.schema {
                    $0.member("content") { $0.object { content(route.type, schema, &$0) } }
                }
            }
        }
        for status in [400, 401, 403, 404, 405, 409, 411, 413, 415, 421, 422, 429, 431, 503] {
            writer.member("\(status)") {
                $0.object {
                    $0.member("description", WebAnswer.reason(status))
                    $0.member("content") { $0.object { content("application/problem+json", Schema.problem, &$0) } }
                }
            }
        }
    }
}
