import Hub
import Wire

/// The checks that every request passes before anything else of it is read (Docs/Web.md, section 2).
struct RequestGate: Sendable {
    static let longestBody = 16_384
    static let longestHead = 8_192
    /// The bytes that are read at once: those behind a head may be among them.
    static let readSize = 1_024

    /// The answer to a head that `RequestStart` does not take.
    static var badHead: WebAnswer {
        let detail = "a head has a line of HTTP/1, and lines of a name, a colon and a value"
        var answer = WebAnswer.problem(400, "bad_head", detail)
        answer.closes = true
        return answer
    }

    let port: UInt16
    let token: WebToken

    /// The refusal of a request; nil if it may be performed.
    ///
    /// - Parameters:
    ///   - isFull: whether it has the token, and too many clients have it already.
    ///   - isOpen: whether it needs no token, as the files of the page do.
    ///   - isText: whether a body is text, as Engine.IO's is.
    func refusal(of head: RequestHead, isFull: Bool, isOpen: Bool, isText: Bool = false) -> WebAnswer? {
        guard
            var answer = problem(with: head, isFull: isFull, isOpen: isOpen)
                ?? bodyProblem(with: head, isText: isText)
        else { return nil }
        // The rest of such a request is not read, so that it can not pass for another one.
        answer.closes = true
        if answer.status == 401 { answer.headers["www-authenticate"] = "Bearer" }
        return answer
    }

    private func problem(with head: RequestHead, isFull: Bool, isOpen: Bool) -> WebAnswer? {
        if !head.hasVersion { return .problem(400, "bad_target", "a target has no line break") }
        if head.hostCount != 1 { return .problem(400, "one_host", "a request has one Host") }
        if !isOwn(host: head.host) { return .problem(421, "misdirected", "this server has another name") }
        if let origin = head.origin, !isOwn(origin: origin) {
            return .problem(403, "foreign_origin", "a page of another origin asks")
        }
        // A browser sends no Origin for the images and scripts of a page; a link to this page may be anywhere.
        if head.path != "/", let site = head.site, site != "same-origin", site != "none" {
            return .problem(403, "foreign_origin", "a page of another origin asks")
        }
        if !isOpen, !isAuthorized(head) { return .problem(401, "unauthorized", "the token is missing or wrong") }
        if isFull { return .problem(503, "busy", "\(ClientQuota<UInt>.mostHolders) connections are the most") }
        if head.size > RequestGate.longestHead {
            return .problem(431, "head_too_large", "a head has \(RequestGate.longestHead) bytes at most")
        }
        return nil
    }

    private func bodyProblem(with head: RequestHead, isText: Bool) -> WebAnswer? {
        if head.hasTransferEncoding {
            return head.contentLengths.isEmpty
                ? .problem(411, "length_required", "a body needs a Content-Length")
                : .problem(400, "two_lengths", "a request has one length")
        }
        guard !head.contentLengths.isEmpty else { return nil }
        guard let length = head.length else { return .problem(400, "two_lengths", "a request has one length") }
        if length > RequestGate.longestBody {
            return .problem(413, "body_too_large", "a body has \(RequestGate.longestBody) bytes at most")
        }
        if length > 0, let encoding = head.contentEncoding, encoding.lowercased() != "identity" {
            return .problem(415, "encoded_body", "a body has no Content-Encoding")
        }
        if length > 0, !isText, !RequestGate.isJSON(head.contentType) {
            return .problem(415, "not_json", "a body is application/json")
        }
        return nil
    }

    /// The own names, in lower case.
    var hosts: [String] { ["127.0.0.1:\(port)", "[::1]:\(port)", "localhost:\(port)"] }

    private func isOwn(host: String?) -> Bool { host.map { hosts.contains($0.lowercased()) } ?? false }

    /// Some clients of WebSocket (Starscream) name the scheme of their URL.
    private func isOwn(origin: String) -> Bool {
        let origin = origin.lowercased()
        return hosts.contains { origin == "http://\($0)" || origin == "ws://\($0)" }
    }

    /// Whether the request has the token as a bearer (RFC 6750 section 2.1), or as the subprotocol `t.TOKEN`.
    func isAuthorized(_ head: RequestHead) -> Bool {
        let words = (head.authorization ?? "").utf8.split(separator: 0x20, maxSplits: 1)
        if words.count == 2, String(words[0])?.lowercased() == "bearer" {
            // White space around a value is no part of it (RFC 9110 section 5.5).
            let given = Substring(decoding: words[1], as: UTF8.self).trimmed { $0 == " " || $0 == "\t" }
            return token.isEqual(to: String(given))
        }
        return head.protocols.contains { $0.hasPrefix("t.") && token.isEqual(to: String($0.dropFirst(2))) }
    }

    private static func isJSON(_ type: String?) -> Bool {
        guard let type else { return false }
        let media = type.utf8.prefix { $0 != UInt8(ascii: ";") }.filter { $0 != 0x20 && $0 != 0x09 }
        return String(decoding: media, as: UTF8.self).lowercased() == "application/json"
    }
}
