import Commands
import Phrases
import Reactor
import Rendering
import Wire

/// The head of an HTTP request, as far as the server reads it.
struct RequestHead: Hashable, Sendable {
    var method = "GET"
    /// Decoded, without the query.
    var path = "/"
    /// The decoded parts of the query, such as `limit=7`.
    var query: [String] = []
    var host: String?
    /// The fields of this name.
    var hostCount = 0
    /// Whether the first line ends with a version of HTTP/1, as it does without a line break within its target.
    var hasVersion = true
    var origin: String?
    /// The relation of the asking page to this server, as a browser says it (W3C Fetch Metadata).
    var site: String?
    var authorization: String?
    var contentType: String?
    var contentEncoding: String?
    /// One for each such field.
    var contentLengths: [String] = []
    var hasTransferEncoding = false
    /// The bytes of all fields that the server knows.
    var size = 0
    /// The subprotocols that a WebSocket client offers.
    var protocols: [String] = []
    var idempotencyKey: [UInt8]?
    var lastEventID: String?
    /// The entity tags of the version that the client has.
    var entityTags: [String] = []
    /// The language in which a person reads the answers.
    var language = Language.english
    /// Whether the client waits for 100 before it sends its body (RFC 9110 section 10.1.1).
    var expectsContinue = false
    /// Whether the client wants the connection to end behind the answer.
    var closes = false

    /// In bytes; nil without a body, and for a wrong field.
    var length: Int? {
        guard contentLengths.count == 1, contentLengths[0].utf8.allSatisfy({ (48...57).contains($0) }) else {
            return nil
        }
        return Int(contentLengths[0])
    }

    /// The code of a page's reload, which it says as the subprotocol `r.CODE`; nil for other clients.
    var page: String? { protocols.first { $0.hasPrefix("r.") }.map { String($0.dropFirst(2)) } }

    /// The value of a parameter of the query: nil without it, the first of several.
    func parameter(_ name: String) -> String? {
        for part in query {
            let pair = part.utf8.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            if pair[0].elementsEqual(name.utf8) {
                return pair.count == 2 ? String(decoding: pair[1], as: UTF8.self) : ""
            }
        }
        return nil
    }

    /// The language that a client wishes most of those that there are (RFC 9110 section 12.5.4); English without a wish.
    static func language(_ field: String?) -> Language {
        var (best, weight) = (Language.english, 0.0)
        for range in list(field?.lowercased()) {
            let parts = range.split(separator: ";").map { $0.trimmed { $0 == " " } }
            let quality = parts.dropFirst().first { $0.hasPrefix("q=") }.flatMap { Double($0.dropFirst(2)) } ?? 1
            guard let tag = parts.first?.split(separator: "-").first, tag == "en" || tag == "ko", quality > weight
            else { continue }
            (best, weight) = (tag == "ko" ? .korean : .english, quality)
        }
        return best
    }

    /// The elements of a field that is a list (RFC 9110 section 5.6.1).
    static func list(_ field: String?) -> [String] {
        (field ?? "").utf8.split(separator: UInt8(ascii: ",")).compactMap { part in
            let text = Substring(decoding: part, as: UTF8.self).trimmed { $0 == " " || $0 == "\t" }
            return text.isEmpty ? nil : String(text)
        }
    }
}

/// An answer to an HTTP request.
struct WebAnswer: Hashable, Sendable {
    var status: Int
    /// A media type (RFC 9110 section 8.3); empty for an answer without a body.
    var type = ""
    var headers: [String: String] = [:]
    var body: [UInt8] = []
    /// Whether the connection ends behind it.
    var closes = false
    /// Whether it is the head of a stream, whose length is not known.
    var isEndless = false

    static func json(_ status: Int = 200, _ members: (inout JSONWriter) -> Void) -> WebAnswer {
        var writer = JSONWriter(.forPrograms)
        writer.object(members)
        return WebAnswer(status: status, type: "application/json", body: writer.bytes)
    }

    /// RFC 9457.
    static func problem(_ status: Int, _ code: String, _ detail: String, line: String? = nil) -> WebAnswer {
        var writer = JSONWriter(.forPrograms)
        writer.object {
            $0.member("type", "about:blank")
            $0.member("title", reason(status))
            $0.member("status", status)
            $0.member("code", code)
            $0.member("detail", detail)
            if let line { $0.member("line", line) }
        }
        return WebAnswer(status: status, type: "application/problem+json", body: writer.bytes)
    }

    /// The fields of the head, without Content-Length.
    ///
    /// - Parameter isWhole: whether the connection goes on behind the body.
    func fields(isWhole: Bool = true) -> [String: String] {
        var fields = WebAnswer.headers.merging(headers) { $1 }
        fields["date"] = HTTPDate(.wall).text
        if !type.isEmpty { fields["content-type"] = type }
        if closes || !isWhole { fields["connection"] = "close" }
        return fields
    }

    /// The answer with its head, for a connection that the library does not have.
    var bytes: [UInt8] {
        var fields = fields()
        fields["content-length"] = "\(body.count)"
        let lines = fields.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)\r\n" }.joined()
        return Array("HTTP/1.1 \(status) \(WebAnswer.reason(status))\r\n\(lines)\r\n".utf8) + body
    }

    /// Of every response (Docs/Web.md, section 2).
    private static let headers = [
        "content-security-policy":
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
            + "manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        "x-content-type-options": "nosniff", "referrer-policy": "no-referrer",
        "cross-origin-resource-policy": "same-origin", "cache-control": "no-store",
    ]

    /// The words of RFC 9110 section 15.
    static func reason(_ status: Int) -> String {
        let words = [
            400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed",
            409: "Conflict", 411: "Length Required", 413: "Content Too Large", 415: "Unsupported Media Type",
            421: "Misdirected Request", 422: "Unprocessable Content", 426: "Upgrade Required", 429: "Too Many Requests",
            431: "Request Header Fields Too Large", 503: "Service Unavailable",
        ]
        return words[status] ?? "Error"
    }
}
