import Reactor
import Wire

/// The interfaces and families of Avahi's daemon (avahi-daemon.conf(5)); the embedded responder leaves out the others too.
struct DaemonConfiguration: Hashable {
    private static let file = "/etc/avahi/avahi-daemon.conf"
    private static let limit = 64 << 10

    /// Nil for all.
    private var allowed: [String]?
    private var denied: [String] = []
    private var families: [Family] = [.ipv4, .ipv6]

    /// Reads the daemon's default file. An unreadable file restricts nothing.
    static func read() -> DaemonConfiguration {
        DaemonConfiguration(SystemFile.text(at: file, limit: limit) ?? "")
    }

    init(_ text: String) {
        var section = Substring()
        for line in text.split(whereSeparator: \.isNewline).map({ $0.trimmed() }) {
            if line.first == "[", line.last == "]" { section = line.dropFirst().dropLast() }
            guard section == "server", let sign = line.firstIndex(of: "=") else { continue }
            let value = line[line.index(after: sign)...].trimmed()
            switch line[..<sign] {
            case "allow-interfaces": allowed = value.isEmpty ? nil : DaemonConfiguration.list(value)
            case "deny-interfaces": denied = DaemonConfiguration.list(value)
            case "use-ipv4": use(.ipv4, value)
            case "use-ipv6": use(.ipv6, value)
            default: continue
            }
        }
    }

    func serves(_ interface: String, _ family: Family) -> Bool {
        families.contains(family) && !denied.contains(interface) && allowed?.contains(interface) ?? true
    }

    /// A value that does not begin as a yes is a no.
    private mutating func use(_ family: Family, _ value: Substring) {
        families.removeAll { $0 == family }
        if let first = value.first, "1yYtT".contains(first) { families.append(family) }
    }

    private static func list(_ value: Substring) -> [String] {
        value.split(separator: ",").map { String($0.trimmed()) }
    }
}
