/// A domain name as a list of labels, under `local` unless it says otherwise (RFC 6762 section 3).
struct MDNSName: Hashable, Sendable {
    let labels: [String]

    init(_ labels: [String]) {
        self.labels = labels + ["local"]
    }

    /// The reverse name of an address (RFC 1035 section 3.5, RFC 3596 section 2.5).
    init(reverseOf address: [UInt8]) {
        if address.count == 4 {
            labels = address.reversed().map { "\($0)" } + ["in-addr", "arpa"]
        } else {
            labels = address.reversed().flatMap { [$0 & 15, $0 >> 4] }.map { String($0, radix: 16) } + ["ip6", "arpa"]
        }
    }

    /// The service type that all nodes share (Protocol.md section 10).
    static let serviceType = "_earshot._tcp"

    /// The type that a browser for one room queries; `subtype` comes from an announcement.
    static func browsingType(subtype: String) -> String {
        "\(subtype)._sub.\(serviceType)"
    }

    static func instance(_ instance: String) -> MDNSName {
        MDNSName([instance, "_earshot", "_tcp"])
    }

    static func subtype(_ subtype: String) -> MDNSName {
        MDNSName([subtype, "_sub", "_earshot", "_tcp"])
    }

    /// Length-prefixed labels and the root, never compressed: how names stand inside rdata (RFC 1035 section 3.1).
    var wire: [UInt8] {
        var bytes: [UInt8] = []
        for label in labels {
            precondition((1...63).contains(label.utf8.count), "a DNS label of \(label.utf8.count) bytes")
            bytes.append(UInt8(label.utf8.count))
            bytes += label.utf8
        }
        return bytes + [0]
    }

    /// Labels joined by dots, as Avahi takes the name that a record belongs to: dots and backslashes within a label are
    /// escaped by a backslash, anything unprintable by three decimal digits.
    var text: String {
        labels.map(Self.escaped).joined(separator: ".")
    }

    private static func escaped(_ label: String) -> String {
        var text = ""
        for byte in label.utf8 {
            switch byte {
            case UInt8(ascii: "."), UInt8(ascii: "\\"):
                text += "\\" + String(Unicode.Scalar(byte))
            case 0x21...0x7e:
                text.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                let digits = String(byte)
                text += "\\" + String(repeating: "0", count: 3 - digits.utf8.count) + digits
            }
        }
        return text
    }
}
