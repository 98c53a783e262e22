package import ChatNode
package import CLinux
internal import Glibc

/// An endpoint as the system's calls take and give it: `sockaddr_in` or `sockaddr_in6`.
@safe
package struct SocketAddress {
    private var storage = sockaddr_storage()
    private var length = socklen_t(MemoryLayout<sockaddr_storage>.size)

    package init(_ endpoint: Endpoint) {
        if endpoint.isIPv4 {
            fill(sockaddr_in.self) { address in
                address.sin_family = sa_family_t(AF_INET)
                address.sin_port = endpoint.port.bigEndian
                unsafe withUnsafeMutableBytes(of: &address.sin_addr) { unsafe $0.copyBytes(from: endpoint.address) }
            }
        } else {
            fill(sockaddr_in6.self) { address in
                address.sin6_family = sa_family_t(AF_INET6)
                address.sin6_port = endpoint.port.bigEndian
                address.sin6_scope_id = endpoint.scope
                unsafe withUnsafeMutableBytes(of: &address.sin6_addr) { unsafe $0.copyBytes(from: endpoint.address) }
            }
        }
    }

    /// The address that `call` writes, given a buffer and its size; with its result.
    package static func written(
        by call: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> CInt
    ) -> (result: CInt, address: SocketAddress) {
        var address = SocketAddress()
        var length = address.length
        let result = unsafe withUnsafeMutablePointer(to: &address.storage) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe call($0, &length) }
        }
        address.length = length
        return (result, address)
    }

    /// Copies an address that a list of the system's holds; nil for another family.
    package static func copied(from pointer: UnsafePointer<sockaddr>) -> Endpoint? {
        var address = SocketAddress()
        let size: Int
        switch unsafe CInt(pointer.pointee.sa_family) {
        case AF_INET: size = MemoryLayout<sockaddr_in>.size
        case AF_INET6: size = MemoryLayout<sockaddr_in6>.size
        default: return nil
        }
        unsafe withUnsafeMutableBytes(of: &address.storage) {
            unsafe $0.copyMemory(from: UnsafeRawBufferPointer(start: pointer, count: size))
        }
        return address.endpoint
    }

    private init() {}

    /// Nil for a family other than IPv4 and IPv6.
    package var endpoint: Endpoint? {
        switch CInt(storage.ss_family) {
        case AF_INET:
            let address = read(sockaddr_in.self)
            return Endpoint(address: bytes(of: address.sin_addr), port: UInt16(bigEndian: address.sin_port))
        case AF_INET6:
            let address = read(sockaddr_in6.self)
            let host = Endpoint(
                address: bytes(of: address.sin6_addr), port: UInt16(bigEndian: address.sin6_port),
                scope: address.sin6_scope_id)
            return host.isLinkLocalIPv6 ? host : Endpoint(address: host.address, port: host.port)
        default: return nil
        }
    }

    /// Lends the address to a call that takes one.
    package func lend(to call: (UnsafePointer<sockaddr>, socklen_t) -> CInt) -> CInt {
        unsafe withUnsafePointer(to: storage) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe call($0, length) }
        }
    }

    private mutating func fill<Address>(_ type: Address.Type, _ set: (inout Address) -> Void) {
        length = socklen_t(MemoryLayout<Address>.size)
        unsafe withUnsafeMutablePointer(to: &storage) { pointer in
            unsafe pointer.withMemoryRebound(to: Address.self, capacity: 1) { unsafe set(&$0.pointee) }
        }
    }

    private func read<Address>(_ type: Address.Type) -> Address {
        unsafe withUnsafeBytes(of: storage) { unsafe $0.load(as: Address.self) }
    }
}

private func bytes<Value>(of value: Value) -> [UInt8] {
    unsafe withUnsafeBytes(of: value) { unsafe Array($0) }
}
