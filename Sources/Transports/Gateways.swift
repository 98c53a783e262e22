import Reactor
import Wire

/// The routers of this machine's networks, as the kernel's tables of routes name them.
package enum Gateways {
    /// Of a machine with the routes of the whole Internet only the first are read; the default route is among these.
    private static let readLimit = 65_536

    /// The addresses of all routes' gateways, of 4 or 16 bytes; none where the tables can not be read.
    static func read() -> Set<[UInt8]> {
        let ipv4 = SystemFile.text(at: "/proc/net/route", limit: readLimit) ?? ""
        let ipv6 = SystemFile.text(at: "/proc/net/ipv6_route", limit: readLimit) ?? ""
        return Set(inIPv4Table(ipv4) + inIPv6Table(ipv6))
    }

    /// The gateways in the text of /proc/net/route: the third field of a line, a number in this machine's order of bytes.
    package static func inIPv4Table(_ text: String) -> [[UInt8]] {
        lines(of: text).dropFirst().compactMap { line in
            let fields = fields(of: line)
            guard fields.count > 3, let number = UInt32(Substring(fields[2]), radix: 16), number != 0
            else { return nil }
            let ordered = UInt32(bigEndian: number)
            return [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: ordered >> $0) }
        }
    }

    /// The gateways in the text of /proc/net/ipv6_route: the fifth field of a line, 16 bytes.
    package static func inIPv6Table(_ text: String) -> [[UInt8]] {
        lines(of: text).compactMap { line in
            let fields = fields(of: line)
            guard fields.count > 5, let address = Hexadecimal.decode(Substring(fields[4])), address.count == 16,
                address.contains(where: { $0 != 0 })
            else { return nil }
            return address
        }
    }

    /// By bytes: a crowd's node looks at the tables for each list of contacts, and characters cost a hundred times as much.
    private static func lines(of text: String) -> [Substring.UTF8View] { text.utf8.split(separator: 10) }

    private static func fields(of line: Substring.UTF8View) -> [Substring.UTF8View] {
        line.split { $0 == 9 || $0 == 32 }
    }
}
