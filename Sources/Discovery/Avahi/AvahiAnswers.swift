import CAvahi
import Glibc

/// Converts the answers of Avahi's browsers and resolvers to values. Names, addresses and texts in them are hostile input.
enum AvahiAnswers {
    /// RFC 1035 section 2.3.4: no name is longer.
    private static let maximumName = 255
    private static let maximumTexts = 8

    /// Nil for anything that no node would publish.
    static func listing(
        _ source: RecordSource, interface: CInt, family: CInt, name: UnsafePointer<CChar>?
    ) -> Listing? {
        guard let name = unsafe text(name), let instance = RandomNames.canonical(name) else { return nil }
        guard interface > 0 else { return nil }
        switch family {
        case CInt(AVAHI_PROTO_INET):
            return Listing(source: source, instance: instance, interface: UInt32(interface), family: .ipv4)
        case CInt(AVAHI_PROTO_INET6):
            return Listing(source: source, instance: instance, interface: UInt32(interface), family: .ipv6)
        default: return nil
        }
    }

    static func resolution(
        address: UnsafePointer<AvahiAddress>?, port: UInt16, texts: UnsafeMutablePointer<AvahiStringList>?
    ) -> Resolution? {
        guard let bytes = unsafe bytes(of: address) else { return nil }
        let isOurVersion = unsafe contains(texts, MDNSRecords.version)
        return Resolution(address: bytes, port: port, isOurVersion: isOurVersion)
    }

    static func avahiFamily(_ family: Family?) -> CInt {
        switch family {
        case nil: CInt(AVAHI_PROTO_UNSPEC)
        case .ipv4: CInt(AVAHI_PROTO_INET)
        case .ipv6: CInt(AVAHI_PROTO_INET6)
        }
    }

    /// Avahi's words for an error number of its own.
    static func message(_ error: CInt) -> String {
        unsafe text(avahi_strerror(error))?.lowercased() ?? "error \(error)"
    }

    private static func text(_ pointer: UnsafePointer<CChar>?) -> String? {
        guard let pointer = unsafe pointer else { return nil }
        let count = unsafe strnlen(pointer, maximumName)
        return unsafe String(decoding: UnsafeRawBufferPointer(start: pointer, count: count), as: UTF8.self)
    }

    private static func bytes(of address: UnsafePointer<AvahiAddress>?) -> [UInt8]? {
        guard let address = unsafe address?.pointee else { return nil }
        switch address.proto {
        case CInt(AVAHI_PROTO_INET):
            return unsafe withUnsafeBytes(of: address.data.ipv4.address) { unsafe Array($0) }
        case CInt(AVAHI_PROTO_INET6):
            return unsafe withUnsafeBytes(of: address.data.ipv6.address) { unsafe Array($0) }
        default: return nil
        }
    }

    private static func contains(_ list: UnsafeMutablePointer<AvahiStringList>?, _ wanted: String) -> Bool {
        var next = unsafe list
        for _ in 0..<maximumTexts {
            guard let node = unsafe next else { return false }
            let count = unsafe avahi_string_list_get_size(node)
            let bytes = unsafe UnsafeBufferPointer(start: avahi_string_list_get_text(node), count: count)
            if unsafe bytes.elementsEqual(wanted.utf8) { return true }
            unsafe next = avahi_string_list_get_next(node)
        }
        return false
    }
}
